// CUDA streams, events and memory as values with destructors.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cuda/workspace.hpp>
#include <memory>
#include <string>

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

}  // namespace exactdot::inline v0_3::cuda_engine
