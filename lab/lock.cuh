// Lock between blocks: one int in device memory; 0 free, 1 taken.
//
// Two fences make it correct. The fence after acquiring keeps reads of the guarded data from happening before the
// lock is held, or from a stale cache line. The fence before releasing makes the writes visible before the lock is
// free. Many published versions lack both and lose updates. Only one thread per block may request the lock: if all
// threads of a warp in lock step request it, the holder may never proceed.
#pragma once

#include <exactdot/simt/cuda.hpp>

namespace exactdot::lab {
namespace {

struct device_lock {
  int* mutex;

  __device__ void acquire() const {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void release() const {
    __threadfence();
    atomicExch(mutex, 0);
  }
};

/// Host side of the lock: allocates the int, initially free.
class lock_memory {
 public:
  explicit lock_memory(gpu::stream& stream) : mutex_(stream, 1) { mutex_.fill_zero(); }
  [[nodiscard]] device_lock handle() const { return {mutex_.data()}; }

 private:
  gpu::buffer<int> mutex_;
};

}  // namespace
}  // namespace exactdot::lab
