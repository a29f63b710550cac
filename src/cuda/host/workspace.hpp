// The storage of a workspace, and the checks that every call of the CUDA engine makes.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cuda/core/device_state.hpp>
#include <cuda/core/extremum_state.hpp>
#include <cuda/core/split_lines.hpp>
#include <cuda/work/moments_state.hpp>
#include <exactdot/cuda.hpp>
#include <source_location>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::cuda {

// Device memory of a workspace that grows with the calls that need it.
//
// A stream being captured cannot allocate, and captured graphs keep the address they were given: so smaller pieces
// stay until the workspace ends, and sizes double.

class growing_memory {
 public:
  growing_memory() = default;
  ~growing_memory() { release(); }
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;

  /// Memory of at least so many bytes, aligned to 256. Its contents are those of earlier calls. Throws
  /// errc::bad_option if it has to grow while `stream` is being captured, and errc::device_failure.
  [[nodiscard]] void* at_least(std::size_t bytes, cudaStream_t stream);
  /// Frees all. Waits for the device.
  void release() noexcept;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::vector<void*> pieces_;
  std::size_t bytes_ = 0;  ///< of the last one
};

struct workspace::storage {
  stream_handle stream = nullptr;
  int device = 0;
  int multiprocessors = 1;
  bool has_capability_9 = false;  ///< the device, and the kernels are compiled for it: variants, launch_kernel.hpp
  cuda_engine::device_state* state = nullptr;
  unsigned char* partials = nullptr;                ///< on the device: of a callable's blocks
  std::int64_t* words = nullptr;                    ///< on the device: two states, zero between calls
  std::int64_t* scratch = nullptr;                  ///< on the device: core::max_moment_limbs words
  cuda_engine::extremum_state* extremum = nullptr;  ///< on the device
  cuda_engine::moments_state* moments = nullptr;    ///< on the device
  cuda_engine::line_state* lines = nullptr;         ///< on the device
  /// On the device: the complement of the lowest segment whose offsets were wrong; 0: none.
  cuda_engine::wide_unsigned* bad_segment = nullptr;
  cuda_engine::wide_unsigned* empty_segment = nullptr;  ///< the same of one without an extreme element
  unsigned* status = nullptr;  ///< on the device: 1 after an integer result that did not fit
  /// On the device: ~index of the first key out of range and of the first empty group; see group/call.hpp.
  cuda_engine::wide_unsigned* group_errors = nullptr;
  /// Of calls on groups.
  growing_memory group_memory, group_states;
  volatile cuda_engine::wide_unsigned* host_result = nullptr;    ///< two words, mapped into the device's memory
  volatile cuda_engine::wide_unsigned* device_result = nullptr;  ///< their address on the device
  unsigned calls = 0;                                            ///< whose result went there
  std::atomic<bool> in_use{false};                               ///< by a call that has not returned

  /// The flag of a result on the host; never 0, the initial value of the words.
  unsigned next_call() { return ++calls != 0 ? calls : ++calls; }

  storage() = default;
  ~storage();
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;
};

/// Locks a workspace for one call. Throws errc::bad_option if another thread's call has locked it: their launches
/// would share its device memory, and calls that wait their result.
class workspace_lock {
 public:
  explicit workspace_lock(workspace::storage& storage);
  ~workspace_lock() { storage_->in_use.store(false, std::memory_order_release); }
  workspace_lock(const workspace_lock&) = delete;
  workspace_lock& operator=(const workspace_lock&) = delete;

 private:
  workspace::storage* storage_;
};

/// Device memory, or the memory that the host may page-lock, is exhausted. Its code is errc::device_failure.
class out_of_memory : public error {
  using error::error;
};

/// Throws if a CUDA call failed: what it was, CUDA's text, what to do, and the source location. Leaves no error
/// pending.
void check(cudaError_t status, const char* what, std::source_location where = std::source_location::current());

/// Why the driver cannot serve this build, after cudaErrorInsufficientDriver: there is none, or an older one; and
/// what to do.
std::string insufficient_driver();

/// Throws unless the workspace's device is current and nothing failed on it before.
void require_device(const workspace::storage& storage);

/// Throws unless the workspace's device can access `n` elements from `pointer` on, `stride` bytes apart: null
/// pointers, misaligned elements, host memory, another device.
void require_reachable(const workspace::storage& storage, const void* pointer, std::size_t n, std::ptrdiff_t stride,
                       std::size_t alignment, const char* name);

}  // namespace exactdot::inline v0_3::cuda
