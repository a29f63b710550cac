// What only CUDA's driver knows: where a pointer points to, found cheaply and without initialising a GPU; and
// contexts.
//
// A pointer into a GPU's memory can exist only once libcuda is loaded. Until then a machine with a GPU's device
// files costs one look at the dynamic linker's count of loaded libraries per call, one without them a load; after
// that the driver is asked. tests/cuda/on_gpu/transfer_speed.cpp measures it.
#pragma once

#include <cstddef>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cuda_engine {

using engine::location;
using engine::memory_kind;

/// Whether this machine has the device files of an NVIDIA driver.
[[nodiscard]] bool machine_has_device_files() noexcept;

/// Whether this process has loaded libcuda.
[[nodiscard]] bool driver_is_loaded() noexcept;

[[nodiscard]] location locate(const void* pointer) noexcept;

/// Whether a GPU's primary context exists: creating one takes a large part of a second.
[[nodiscard]] bool context_is_active(int gpu) noexcept;

/// Makes a GPU current for this thread; its destructor restores what was current before. Keeps the GPU's primary
/// context for the rest of the process; touches no other GPU, unlike cudaSetDevice on the way back.
class current_gpu {
 public:
  /// Throws errc::no_device unless there is such a GPU; the sentence says how many there are.
  explicit current_gpu(int gpu);
  ~current_gpu();
  current_gpu(const current_gpu&) = delete;
  current_gpu& operator=(const current_gpu&) = delete;
};

}  // namespace exactdot::inline v0_3::cuda_engine
