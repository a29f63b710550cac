// Launches of kernels in programs that simtcc compiles.
//
// simtcc rewrites `kernel<<<grid, block, shared, stream>>>(x)` to `(configure(grid, block, shared, stream),
// kernel(x))` and wraps the body of a kernel in a lambda that copies the parameters: kernel_body() runs it for
// every thread. So overloads, templates, default arguments and conversions work as for any call, and every thread
// has its own parameters.
#pragma once

#include <cstddef>
#include <exactdot/simt/kernel.hpp>
#include <exactdot/simt/runtime/errors.hpp>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/runtime/streams.hpp>
#include <type_traits>
#include <utility>

namespace exactdot::simt::detail {

/// Sets the configuration of this thread's next call of a kernel.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
               const char* file = __builtin_FILE(), int line = __builtin_LINE());
void configure_cooperative(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream, const char* file,
                           int line);
/// Runs the body as configured. Called by the kernel, whose address is the caller's.
void run_configured(void (*body)(void*), void* closure, std::size_t bytes);
/// Returns the error of this thread's last launch.
cudaError_t launch_result();

template <class Body>
[[gnu::always_inline]] inline void kernel_body(Body body) {
  run_configured(
      [](void* closure) {
        Body copy(*static_cast<Body*>(closure));
        copy();
      },
      &body, sizeof body);
}

/// What simtcc makes of `extern __shared__ T name[]` in a function: a reference to the launch's dynamic shared
/// memory.
struct dynamic_array {
  template <class T>
  [[gnu::always_inline]] inline operator T&() const {
    return *reinterpret_cast<T*>(dynamic_shared_bytes());
  }
};

template <class... Parameters, std::size_t... i>
cudaError_t call_with_pointers(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>) {
  kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
  return launch_result();
}

}  // namespace exactdot::simt::detail

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  exactdot::simt::detail::configure(grid, block, shared_bytes, stream, file, line);
  return exactdot::simt::detail::call_with_pointers(kernel, arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  exactdot::simt::detail::configure_cooperative(grid, block, shared_bytes, stream, file, line);
  return exactdot::simt::detail::call_with_pointers(kernel, arguments, std::index_sequence_for<Parameters...>());
}
// A kernel whose parameters are not known here: launch the kernel itself, not a pointer to void.
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t = 0, cudaStream_t = nullptr) = delete;
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t = 0,
                                        cudaStream_t = nullptr) = delete;

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
/// Registers, local and constant memory are not modelled and are zero.
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
};

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel);
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;  // a hint
}
