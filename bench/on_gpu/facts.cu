// Description of the GPU from the CUDA runtime, and of the driver from NVML; see facts.hpp.
#include <bench/library.hpp>
#include <bench/on_gpu/facts.hpp>
#include <exactdot/simt/on_gpu.hpp>
#include <lab/gpu_error.hpp>
#include <stdexcept>

namespace bench {
namespace {

using exactdot::on_gpu::check;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Returns the driver version, as "580.95.05"; "unknown" without NVML.
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
  check(cudaGetDevice(&device), "querying the device");
  check(cudaGetDeviceProperties(&properties, device), "querying the device properties");
  check(cudaDriverGetVersion(&driver), "querying the driver version");
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
  int devices = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return;
  cudaGetLastError();
  cudaDriverGetVersion(&driver);
  const char* const message = status == cudaSuccess ? "" : cudaGetErrorString(status);
  throw exactdot::error(
      exactdot::errc::no_device,
      "--device cuda: " + exactdot::lab::missing_gpu_reason(driver, message) + "; use --device cpu");
}

}  // namespace bench
