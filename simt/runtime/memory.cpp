// Allocations. All memory is the simulator's, so that kernels may use it; host code may use managed and page-locked
// memory too, whose writes by the host are not seen: it counts as written.
#include <cstdlib>
#include <exactdot/error.hpp>
#include <exactdot/simt/on_cpu.hpp>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/runtime/streams.hpp>
#include <optional>

#include "context.hpp"
#include "graphs.hpp"
#include "machine.hpp"

namespace exactdot::simt {
namespace {

constexpr std::size_t pitch_alignment = 512;

cudaError_t allocate(void** pointer, std::size_t bytes, memory_use use) {
  const runtime_lock lock;
  auto& runtime = runtime_context::instance();
  if (pointer == nullptr) return finish(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (const cudaError_t refused = refuse_while_any_captures(); refused != cudaSuccess) return finish(refused);
  if (bytes == 0) return runtime.wait();
  if (bytes > device_memory_bytes() - std::min(runtime.allocated, device_memory_bytes()))
    return finish(cudaErrorMemoryAllocation);
  try {
    *pointer = device_memory::instance().allocate(bytes);
  } catch (const std::exception&) {  // no address range, or no memory for the simulator's records
    return finish(cudaErrorMemoryAllocation);
  }
  if (use != memory_use::device) {
    device_memory::instance().mark_written(reinterpret_cast<std::uintptr_t>(*pointer), bytes);
    device_memory::instance().find(reinterpret_cast<std::uintptr_t>(*pointer))->used_by_host = true;
  }
  runtime.allocations[*pointer] = {bytes, use};
  runtime.allocated += bytes;
  return runtime.wait();
}

/// `stream`: where the release is work of a stream; else the host waits for all work.
cudaError_t release(void* pointer, bool page_locked, const char* action, const void* caller,
                    std::optional<cudaStream_t> stream = {}) {
  const runtime_lock lock;
  auto& runtime = runtime_context::instance();
  if (pointer == nullptr) return runtime.wait();
  if (const cudaError_t refused = refuse_while_any_captures(); refused != cudaSuccess) return finish(refused);
  const auto at = runtime.allocations.find(pointer);
  if (at == runtime.allocations.end() || (at->second.use == memory_use::page_locked) != page_locked) {
    const auto [start, size] = device_memory::instance().find_released(reinterpret_cast<std::uintptr_t>(pointer));
    if (size == 0) return finish(cudaErrorInvalidValue);
    runtime.report(fault_kind::second_free, "released buffer of " + std::to_string(size) + " bytes", action,
                   caller);
    const failed_call before = runtime.failed;
    const cudaError_t result = finish(cudaErrorInvalidValue);
    runtime.failed = before;  // it is reported already
    return result;
  }
  if (stream) {
    runtime.begin_release({reinterpret_cast<std::uintptr_t>(pointer), at->second.bytes, true, action, caller},
                          *stream);
  } else {
    runtime.order.synchronise();
  }
  runtime.allocated -= at->second.bytes;
  runtime.allocations.erase(at);
  exactdot::simt::detail::release(runtime.stream, pointer);
  return runtime.wait();
}

}  // namespace
}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, memory_use::device); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const runtime_lock lock;
  const cudaError_t error = cudaMalloc(pointer, bytes);
  if (error == cudaSuccess && bytes != 0)
    runtime_context::instance().begin_copy_on(
        {reinterpret_cast<std::uintptr_t>(*pointer), bytes, true, "cudaMallocAsync", __builtin_return_address(0)},
        stream);
  return error;
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  const runtime_lock lock;
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return finish(cudaErrorInvalidValue);
  return bytes == 0 ? finish(cudaErrorInvalidValue) : allocate(pointer, bytes, memory_use::managed);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned) {
  const runtime_lock lock;
  return allocate(pointer, bytes, memory_use::page_locked);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  const runtime_lock lock;
  return allocate(pointer, bytes, memory_use::page_locked);
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height) {
  const runtime_lock lock;
  if (pitch == nullptr || width_bytes == 0 || height == 0) return finish(cudaErrorInvalidValue);
  *pitch = (width_bytes + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  if (height > device_memory_bytes() / *pitch) return finish(cudaErrorMemoryAllocation);
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaFree(void* pointer) { return release(pointer, false, "cudaFree", __builtin_return_address(0)); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return release(pointer, false, "cudaFreeAsync", __builtin_return_address(0), stream);
}
cudaError_t cudaFreeHost(void* pointer) {
  return release(pointer, true, "cudaFreeHost", __builtin_return_address(0));
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  const runtime_lock lock;
  constexpr unsigned known =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (pointer == nullptr || bytes == 0 || (flags & ~known) != 0) return finish(cudaErrorInvalidValue);
  const bool added = device_memory::instance().register_host(pointer, bytes);
  return finish(added ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* pointer) {
  const runtime_lock lock;
  return finish(device_memory::instance().unregister_host(pointer) ? cudaSuccess
                                                                   : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const runtime_lock lock;
  auto& runtime = runtime_context::instance();
  const auto at = runtime.find(host);
  if (device != nullptr &&
      device_memory::instance().find_registered(reinterpret_cast<std::uintptr_t>(host)) != nullptr) {
    *device = host;
    return finish(cudaSuccess);
  }
  if (device == nullptr || at == runtime.allocations.end() || at->second.use != memory_use::page_locked)
    return finish(cudaErrorInvalidValue);
  *device = host;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned flags) {
  const runtime_lock lock;
  const auto& runtime = runtime_context::instance();
  const auto at = runtime.find(pointer);
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  const bool managed = at != runtime.allocations.end() && at->second.use == memory_use::managed;
  return finish(known && managed ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  const runtime_lock lock;
  const auto& runtime = runtime_context::instance();
  const auto at = runtime.find(pointer);
  const bool page_locked = at != runtime.allocations.end() && at->second.use == memory_use::page_locked;
  if (flags == nullptr || !page_locked) return finish(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return finish(cudaSuccess);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const runtime_lock lock;
  *total = device_memory_bytes();
  *free = *total - std::min(*total, runtime_context::instance().allocated);
  return runtime_context::instance().wait();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const runtime_lock lock;
  auto& runtime = runtime_context::instance();
  const auto at = runtime.find(pointer);
  auto* const address = const_cast<void*>(pointer);
  if (device_memory::instance().find_registered(reinterpret_cast<std::uintptr_t>(pointer)) != nullptr) {
    *attributes = {cudaMemoryTypeHost, 0, address, address};
  } else if (at == runtime.allocations.end()) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
  } else if (at->second.use == memory_use::device) {
    *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
  } else {
    const bool managed = at->second.use == memory_use::managed;
    *attributes = {managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost, 0, address, address};
  }
  return finish(cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return finish(cudaSuccess); }
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  const runtime_lock lock;
  return finish(cudaSuccess);
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) { return finish(cudaSuccess); }
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  const runtime_lock lock;
  return finish(cudaSuccess);
}
