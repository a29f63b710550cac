// The driver's library for the CUDA engine on the simulator: what src/cuda/host/driver.cpp looks up in libcuda.so.1
// is found in this program. The linker directs dlopen and dlsym here (CMakeLists.txt).
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>
#include <iterator>
#include <plan/gpu_engine.hpp>

namespace {

constexpr char library_name[] = "libcuda.so.1";

struct entry {
  const char* name;
  void* function;
};
const entry entries[] = {
    {"cuPointerGetAttributes", reinterpret_cast<void*>(&cuPointerGetAttributes)},
    {"cuDeviceGet", reinterpret_cast<void*>(&cuDeviceGet)},
    {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(&cuDevicePrimaryCtxGetState)},
    {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&cuDevicePrimaryCtxRetain)},
    {"cuCtxPushCurrent_v2", reinterpret_cast<void*>(&cuCtxPushCurrent)},
    {"cuCtxPopCurrent_v2", reinterpret_cast<void*>(&cuCtxPopCurrent)},
};
void* const handle = const_cast<entry*>(entries);

/// As on a machine with a GPU: a pointer may be one of its memory.
[[maybe_unused]] const bool gpu_exists = [] {
  exactdot::engine::gpu_may_exist.store(true);
  return true;
}();

}  // namespace

extern "C" {
void* __real_dlopen(const char* file, int mode);
void* __real_dlsym(void* library, const char* name);

void* __wrap_dlopen(const char* file, int mode) {
  return file != nullptr && std::strcmp(file, library_name) == 0 ? handle : __real_dlopen(file, mode);
}
void* __wrap_dlsym(void* library, const char* name) {
  if (library != handle) return __real_dlsym(library, name);
  for (const entry& each : entries) {
    if (std::strcmp(each.name, name) == 0) return each.function;
  }
  return nullptr;
}
}
