// Queries the CUDA driver; see gpu_probe.hpp. Declares its functions here, so that no CUDA header is needed.
#include <dlfcn.h>

#include <array>
#include <cli/gpu_probe.hpp>

namespace exactdot::cli {
namespace {

template <class... Arguments>
using driver_call = int (*)(Arguments...);  // a CUresult: 0 is success

constexpr int compute_capability_major = 75, compute_capability_minor = 76;  // of CUdevice_attribute

}  // namespace

bool has_cuda_engine() { return EXACTDOT_CUDA_AT_BUILD; }

std::vector<std::string> gpu_names() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return {};
  const auto initialise = reinterpret_cast<driver_call<unsigned>>(dlsym(driver, "cuInit"));
  const auto get_count = reinterpret_cast<driver_call<int*>>(dlsym(driver, "cuDeviceGetCount"));
  const auto get_device = reinterpret_cast<driver_call<int*, int>>(dlsym(driver, "cuDeviceGet"));
  const auto get_name = reinterpret_cast<driver_call<char*, int, int>>(dlsym(driver, "cuDeviceGetName"));
  const auto get_attribute = reinterpret_cast<driver_call<int*, int, int>>(dlsym(driver, "cuDeviceGetAttribute"));
  int count = 0;
  if (!initialise || !get_count || !get_device || !get_name || !get_attribute) return {};
  if (initialise(0) != 0 || get_count(&count) != 0) return {};
  std::vector<std::string> names;
  for (int index = 0; index < count; ++index) {
    std::array<char, 128> name = {};
    int device = 0;
    if (get_device(&device, index) != 0 || get_name(name.data(), name.size() - 1, device) != 0) continue;
    int major = 0, minor = 0;
    get_attribute(&major, compute_capability_major, device),
        get_attribute(&minor, compute_capability_minor, device);
    names.push_back(std::string(name.data()) + ", sm_" + std::to_string(major) + std::to_string(minor));
  }
  return names;
}

}  // namespace exactdot::cli
