// The memory behind a workspace, and the checks that every call of the CUDA engine makes.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cuda/state.hpp>
#include <exactdot/cuda.hpp>
#include <source_location>

namespace exactdot::cuda {

/// On the device, zero before the first launch.
struct device_state {
  cuda_engine::grid_sum<double> doubles;
  cuda_engine::grid_sum<float> floats;
  cuda_engine::mailbox box;

  cuda_engine::grid_sum<float>* sum(float) { return &floats; }
  cuda_engine::grid_sum<double>* sum(double) { return &doubles; }
};

struct workspace::memory {
  stream_handle stream = nullptr;
  int device = 0;
  int multiprocessors = 1;
  int capability = 0;  ///< 90 for 9.0
  device_state* state = nullptr;
  volatile cuda_engine::wide_unsigned* host_result = nullptr;        ///< two words, mapped into the device's memory
  volatile cuda_engine::wide_unsigned* host_result_there = nullptr;  ///< as the device sees them
  unsigned calls = 0;                                                ///< that had their result there
  std::atomic<bool> in_use{false};                                   ///< by a call that has not returned

  /// A number for a result on the host; never 0, which is there before the first.
  unsigned next_call() { return ++calls != 0 ? calls : ++calls; }

  memory() = default;
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
};

/// A call's hold on its workspace. Throws errc::bad_option if another thread's call has it: their launches would
/// share the memory behind it, and the waited ones their result.
class hold {
 public:
  explicit hold(workspace::memory& own);
  ~hold() { own_.in_use.store(false, std::memory_order_release); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;

 private:
  workspace::memory& own_;
};

/// The device, or what the host may page-lock, is full; of code errc::device_failure.
class out_of_memory : public error {
  using error::error;
};

/// Throws what failed, in CUDA's words, with what to do and the place of the call. Leaves no error pending.
void check(cudaError_t status, const char* what, std::source_location where = std::source_location::current());

/// Throws unless the workspace's device is current and nothing failed on it before.
void require_device(const workspace::memory& own);

/// Throws unless the workspace's device can use n elements there.
void require_reachable(const workspace::memory& own, const void* pointer, std::size_t n, std::size_t alignment,
                       const char* name);

}  // namespace exactdot::cuda
