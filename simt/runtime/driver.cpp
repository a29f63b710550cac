// The driver's functions for devices, contexts and pointers.
#include <exactdot/simt/runtime/driver.hpp>
#include <vector>

#include "context.hpp"
#include "per_thread.hpp"

struct CUctx_st {};

namespace exactdot::simt {
namespace {

CUctx_st only_context;

/// What cuCtxPushCurrent has pushed in this CPU thread.
struct pushed_contexts : std::vector<CUcontext> {};

CUresult check_device(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

template <class T>
void store(void* to, const T& value) {
  *static_cast<T*>(to) = value;
}

/// Stores the attribute of memory that is known, or zero; false if the attribute is not modelled.
bool store_attribute(CUpointer_attribute attribute, void* to, const void* pointer) {
  const auto& runtime = runtime_context::instance();
  const auto at = runtime.find(pointer);
  const bool known = at != runtime.allocations.end();
  const memory_use use = known ? at->second.use : memory_use::page_locked;
  const auto address = reinterpret_cast<CUdeviceptr>(pointer);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      store<CUcontext>(to, known ? &only_context : nullptr);
      return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:  // of managed memory: where it lies, on the device
      store<unsigned>(to, !known ? 0 : use == memory_use::page_locked ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      store<CUdeviceptr>(to, known ? address : 0);
      return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      store<const void*>(to, known && use != memory_use::device ? pointer : nullptr);
      return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      store<unsigned>(to, known && use == memory_use::managed ? 1 : 0);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      store<int>(to, known ? 0 : -2);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      store<const void*>(to, known ? at->first : nullptr);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      store<std::size_t>(to, known ? at->second.bytes : 0);
      return true;
  }
  return false;
}

}  // namespace
}  // namespace exactdot::simt

using namespace exactdot::simt;

extern "C" {
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return check_device(ordinal);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  *flags = 0, *active = 1;
  return check_device(device);
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = device == 0 ? &only_context : nullptr;
  return check_device(device);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return check_device(device); }
CUresult cuCtxPushCurrent(CUcontext context) {
  if (context != &only_context) return CUDA_ERROR_INVALID_CONTEXT;
  of_this_thread<pushed_contexts>().push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  auto& pushed = of_this_thread<pushed_contexts>();
  if (pushed.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = pushed.back();
  pushed.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = &only_context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return context == nullptr || context == &only_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  for (unsigned i = 0; i < count; ++i) {
    if (!store_attribute(attributes[i], values[i], reinterpret_cast<const void*>(pointer)))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const auto& runtime = runtime_context::instance();
  const void* const address = reinterpret_cast<const void*>(pointer);
  if (runtime.find(address) == runtime.allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  return cuPointerGetAttributes(1, &attribute, &value, pointer);
}
}
