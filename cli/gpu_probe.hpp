// Which GPUs this machine has, asked of the driver at run time: nothing is linked, nothing is needed.
#pragma once

#include <string>
#include <vector>

namespace exactdot::cli {

/// The CUDA devices in CUDA's order, as "NVIDIA H100 80GB HBM3, sm_90"; empty without a driver or a device.
[[nodiscard]] std::vector<std::string> gpu_names();

}  // namespace exactdot::cli
