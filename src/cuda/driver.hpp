// What only CUDA's driver tells: where a pointer points to, cheaply and without bringing a GPU to life; and its
// contexts.
//
// A pointer into a GPU's memory can exist only once libcuda is loaded, by whomever. A machine without a GPU's
// device files pays a load for the question; one with them, until libcuda is loaded, a look at the dynamic linker's
// count of loaded libraries; after that the driver is asked. tests/cuda/on_gpu/transfer_speed.cpp measures it.
#pragma once

#include <cstddef>

namespace exactdot::cuda_engine {

enum class memory { host, pinned, managed, device };

struct place {
  memory kind = memory::host;
  int gpu = -1;  ///< whose memory it is, or that pinned it

  /// Whether that GPU's kernels are to read it where it is.
  [[nodiscard]] bool on_gpu() const { return kind == memory::device || kind == memory::managed; }
};

/// Whether an NVIDIA driver has left its marks on this machine.
[[nodiscard]] bool machine_has_device_files() noexcept;

/// Whether this process has loaded libcuda.
[[nodiscard]] bool driver_is_loaded() noexcept;

[[nodiscard]] place place_of(const void* pointer) noexcept;

/// Whether a GPU's context exists already: to create one takes a large part of a second.
[[nodiscard]] bool gpu_is_awake(int gpu) noexcept;

/// Makes a GPU the current one of this thread, and at the end what was current before. Keeps the GPU's primary
/// context for good; touches no other GPU, as cudaSetDevice would on the way back.
class current_gpu {
 public:
  /// Throws errc::no_device unless there is such a GPU, saying how many there are.
  explicit current_gpu(int gpu);
  ~current_gpu();
  current_gpu(const current_gpu&) = delete;
  current_gpu& operator=(const current_gpu&) = delete;
};

}  // namespace exactdot::cuda_engine
