// Text of the error for a machine on which CUDA finds no usable GPU. Plain C++, so that it is tested without CUDA.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::lab {

/// Returns why no GPU can be used. `driver_version`: from cudaDriverGetVersion, 0 without a driver. `cuda_error`:
/// the message of cudaGetDeviceCount; empty if the call succeeded and counted no device.
///
/// Without a driver CUDA reports that the driver version is insufficient, which suggests an update where an
/// installation is needed.
[[nodiscard]] inline std::string missing_gpu_reason(int driver_version, std::string_view cuda_error) {
  if (driver_version == 0) return "this machine has no NVIDIA driver";
  if (cuda_error.empty()) return "this machine has no GPU";
  return "no GPU can be used (" + std::string(cuda_error) + ")";
}

}  // namespace exactdot::lab
