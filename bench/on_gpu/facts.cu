// Asking the CUDA runtime, and NVML for the driver's version; see facts.hpp.
#include <bench/library.hpp>
#include <bench/on_gpu/facts.hpp>
#include <exactdot/simt/on_gpu.hpp>
#include <stdexcept>

namespace bench {
namespace {

using exactdot::on_gpu::check;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "580.95.05"; "unknown" without NVML.
std::string driver_version() {
  try {
    const library nvml("libnvidia-ml.so.1");
    auto* const initialise = nvml.find<int()>("nvmlInit_v2");
    auto* const ask = nvml.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    char text[80] = {};
    if (initialise != nullptr && ask != nullptr && initialise() == 0 && ask(text, sizeof text) == 0) return text;
  } catch (const std::runtime_error&) {
  }
  return "unknown";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_gpu() {
  cudaDeviceProp properties{};
  int driver = 0, device = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaGetDeviceProperties(&properties, device), "asking for the device");
  check(cudaDriverGetVersion(&driver), "asking for the driver");
  return {{"gpu", properties.name},
          {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
          {"multiprocessors", std::to_string(properties.multiProcessorCount)},
          {"l2_mib", std::to_string(properties.l2CacheSize >> 20)},
          {"memory_gib", std::to_string(properties.totalGlobalMem >> 30)},
          {"driver", driver_version()},
          {"driver_cuda", version_text(driver)},
          {"toolkit", version_text(CUDART_VERSION)}};
}

void require_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return;
  cudaGetLastError();
  throw exactdot::error(exactdot::errc::no_device,
                        std::string("--device cuda: no GPU is to be had here (") +
                            (status != cudaSuccess ? cudaGetErrorString(status) : "none is installed") +
                            "); take --device cpu");
}

}  // namespace bench
