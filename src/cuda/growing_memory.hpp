// Device memory of a workspace that grows with the calls that need it.
//
// A stream being captured cannot allocate, and captured graphs keep the address they were given: so smaller pieces
// stay until the workspace ends, and sizes double.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

namespace exactdot::inline v0_3::cuda {

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

}  // namespace exactdot::inline v0_3::cuda
