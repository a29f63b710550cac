// A lock between blocks: one int in device memory, 0 free, 1 taken.
//
// The two fences are what makes it a lock. The one after taking it keeps the reads of the guarded data from being
// done before the lock is held, or from a stale cache line; the one before releasing it makes the writes visible
// before the lock looks free. Many printed versions lack both, and lose updates. For one thread of a block at a
// time: where all threads of a warp that runs in lock step ask for it, the one that has it may never go on.
#pragma once

#include <exactdot/simt/cuda.hpp>

namespace exactdot::lab {
namespace {

struct device_lock {
  int* mutex;

  __device__ void take() const {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void release() const {
    __threadfence();
    atomicExch(mutex, 0);
  }
};

/// The host's side: owns the int, free at first.
class lock_memory {
 public:
  explicit lock_memory(gpu::stream& stream) : mutex_(stream, 1) { mutex_.fill_zero(); }
  [[nodiscard]] device_lock handle() const { return {mutex_.data()}; }

 private:
  gpu::buffer<int> mutex_;
};

}  // namespace
}  // namespace exactdot::lab
