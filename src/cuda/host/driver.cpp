// Functions of the driver, found in the libcuda that the process has loaded; see driver.hpp.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cuda/host/driver.hpp>
#include <cuda/host/workspace.hpp>
#include <mutex>
#include <plan/gpu_engine.hpp>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

struct driver {
  decltype(&cuPointerGetAttributes) pointer_attributes;
  decltype(&cuDeviceGet) device;
  decltype(&cuDevicePrimaryCtxGetState) context_state;
  decltype(&cuDevicePrimaryCtxRetain) retain;
  decltype(&cuCtxPushCurrent) push;
  decltype(&cuCtxPopCurrent) pop;

  [[nodiscard]] bool complete() const {
    return pointer_attributes && device && context_state && retain && push && pop;
  }
};

/// Finds the functions, if libcuda is loaded; it is never unloaded.
bool look_up(driver& calls) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return false;
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(dlsym(library, name));
  };
  find(calls.pointer_attributes, "cuPointerGetAttributes");
  find(calls.device, "cuDeviceGet");
  find(calls.context_state, "cuDevicePrimaryCtxGetState");
  find(calls.retain, "cuDevicePrimaryCtxRetain");
  find(calls.push, "cuCtxPushCurrent_v2");
  find(calls.pop, "cuCtxPopCurrent_v2");
  return calls.complete();
}

unsigned long long libraries_ever_loaded() noexcept {
  unsigned long long count = 0;
  const auto first = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(first, &count);
  return count;
}

std::atomic<const driver*> loaded{nullptr};

const driver* loaded_driver() noexcept {
  if (const driver* const known = loaded.load(std::memory_order_acquire)) return known;
  static std::atomic<unsigned long long> seen{0};
  const unsigned long long count = libraries_ever_loaded();
  if (seen.load(std::memory_order_relaxed) == count) return nullptr;
  static driver calls;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (loaded.load() == nullptr && look_up(calls)) loaded.store(&calls, std::memory_order_release);
  seen.store(count, std::memory_order_relaxed);
  return loaded.load();
}

/// The driver, after the runtime has loaded it.
const driver& required_driver() {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "looking for a GPU");
  const driver* const calls = loaded_driver();
  if (calls == nullptr) {
    throw error(errc::device_failure, "cuda: libcuda.so.1 lacks functions of CUDA 12; update the NVIDIA driver");
  }
  return *calls;
}

void check(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS) {
    throw error(errc::device_failure, std::string("cuda: ") + what + " failed with the driver's code " +
                                          std::to_string(status) + "; the process has to be restarted, or the GPU");
  }
}

CUcontext primary_context(const driver& calls, int gpu) {
  static std::mutex mutex;
  static std::vector<CUcontext>& contexts = *new std::vector<CUcontext>;  // outlives every caller
  const std::lock_guard lock(mutex);
  const auto index = static_cast<std::size_t>(gpu);
  if (contexts.size() <= index) contexts.resize(index + 1);
  if (contexts[index] == nullptr) {
    CUdevice device = 0;
    check(calls.device(&device, gpu), "asking for the GPU");
    check(calls.retain(&contexts[index], device), "starting the GPU's context");
  }
  return contexts[index];
}

}  // namespace

bool machine_has_device_files() noexcept {
  constexpr const char* files[] = {"/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg", "/dev/nvmap"};
  return std::any_of(std::begin(files), std::end(files), [](const char* file) { return access(file, F_OK) == 0; });
}

bool driver_is_loaded() noexcept { return loaded_driver() != nullptr; }

location locate(const void* pointer) noexcept {
  const driver* const calls = loaded_driver();
  if (calls == nullptr) return {};
  unsigned type = 0, managed = 0;
  int gpu = -1;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* to[] = {&type, &managed, &gpu};
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  if (calls->pointer_attributes(std::size(which), which, to, address) != CUDA_SUCCESS) return {};
  if (managed != 0) return {memory_kind::managed, gpu};
  if (type == CU_MEMORYTYPE_DEVICE) return {memory_kind::device, gpu};
  if (type == CU_MEMORYTYPE_HOST) return {memory_kind::pinned, gpu};
  return {};
}

bool context_is_active(int gpu) noexcept {
  const driver* const calls = loaded_driver();
  CUdevice device = 0;
  unsigned flags = 0;
  int active = 0;
  return calls != nullptr && calls->device(&device, gpu) == CUDA_SUCCESS &&
         calls->context_state(device, &flags, &active) == CUDA_SUCCESS && active != 0;
}

current_gpu::current_gpu(int gpu) {
  const driver& calls = required_driver();
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "looking for a GPU");
  if (gpu < 0 || gpu >= count) {
    throw error(errc::no_device,
                "cuda: there is no cuda:" + std::to_string(gpu) + "; this machine has " +
                    (count == 1 ? "one GPU, cuda:0"
                                : std::to_string(count) + " GPUs, cuda:0 to cuda:" + std::to_string(count - 1)));
  }
  check(calls.push(primary_context(calls, gpu)), "making the GPU's context current");
  engine::gpu_may_exist.store(true, std::memory_order_relaxed);  // whatever its device files are called
}

current_gpu::~current_gpu() {
  CUcontext popped = nullptr;
  loaded_driver()->pop(&popped);
}

}  // namespace exactdot::inline v0_3::cuda_engine
