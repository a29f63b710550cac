// CUDA streams, events and memory as values with destructors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cuda/host/workspace.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {

template <auto release>
struct releaser {
  template <class Pointer>
  void operator()(Pointer* pointer) const {
    release(pointer);
  }
};

using stream = std::unique_ptr<CUstream_st, releaser<cudaStreamDestroy>>;
using event = std::unique_ptr<CUevent_st, releaser<cudaEventDestroy>>;
using device_bytes = std::unique_ptr<std::byte, releaser<cudaFree>>;
using pinned_bytes = std::unique_ptr<std::byte, releaser<cudaFreeHost>>;

/// A stream that does not synchronise with the default stream.
inline stream make_stream() {
  cudaStream_t made = nullptr;
  cuda::check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "creating a stream");
  return stream(made);
}

inline event make_event() {
  cudaEvent_t made = nullptr;
  cuda::check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "creating an event");
  return event(made);
}

/// Null if the device has too little free memory.
inline device_bytes try_device_memory(std::size_t bytes) {
  void* made = nullptr;
  const cudaError_t status = cudaMalloc(&made, bytes);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
  } else {
    cuda::check(status, "allocating device memory");
  }
  return device_bytes(static_cast<std::byte*>(made));
}

/// Page-locked, and at the same address for every device.
inline pinned_bytes pinned_memory(std::size_t bytes) {
  void* made = nullptr;
  const cudaError_t status = cudaHostAlloc(&made, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw cuda::out_of_memory(errc::device_failure, "cuda: the system refuses to page-lock another " +
                                                        std::to_string(bytes) +
                                                        " bytes; free host memory, or compute on the CPU");
  }
  cuda::check(status, "page-locking host memory");
  return pinned_bytes(static_cast<std::byte*>(made));
}

// Pool of idle objects per GPU: workspaces, staging pipelines, state buffers.
//
// Creating one takes about a thousand times as long as a short dot product. acquire() may return null. A call that
// throws destroys its object instead of releasing it.

template <class Object>
class pool {
 public:
  /// Never destroyed: CUDA may be gone before the process ends.
  static pool& instance() {
    static pool& only = *new pool;
    return only;
  }

  /// Null if no object is idle.
  std::unique_ptr<Object> acquire(int gpu) {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[gpu];
    if (idle.empty()) return nullptr;
    std::unique_ptr<Object> object = std::move(idle.back());
    idle.pop_back();
    return object;
  }

  void release(int gpu, std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    idle_[gpu].push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<Object>>> idle_;
};

}  // namespace exactdot::inline v0_3::cuda_engine
