// Whether this build has the CUDA engine, and the names of the GPUs of this machine. The driver is loaded at run
// time: builds and machines may lack CUDA.
#pragma once

#include <string>
#include <vector>

namespace exactdot::cli {

/// Whether a CUDA compiler built the engine for GPUs.
[[nodiscard]] bool has_cuda_engine();

/// Returns the GPUs in the order of CUDA, as "NVIDIA H100 80GB HBM3, sm_90"; empty without a driver or a GPU.
[[nodiscard]] std::vector<std::string> gpu_names();

}  // namespace exactdot::cli
