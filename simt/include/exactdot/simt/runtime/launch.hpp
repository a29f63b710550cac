// Launches of kernels in programs that simtcc compiles.
//
// simtcc rewrites `kernel<<<grid, block, shared, stream>>>(x)` to `(configure(grid, block, shared, stream),
// kernel(x))` and wraps the body of a kernel in a lambda that copies the parameters: kernel_body() runs it for
// every thread. So overloads, templates, default arguments and conversions work as for any call, and every thread
// has its own parameters.
//
// Kernels that are compiled as they are, against exactdot/simt/cuda.hpp, run by the functions below too:
// cudaLaunchKernelEx and cudaLaunchKernel bind the arguments themselves.
#pragma once

#include <cstddef>
#include <exactdot/simt/kernel.hpp>
#include <exactdot/simt/runtime/attributes.hpp>
#include <exactdot/simt/runtime/device.hpp>
#include <exactdot/simt/runtime/errors.hpp>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/runtime/streams.hpp>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

namespace exactdot::simt::detail {

/// Sets the configuration of this thread's next call of a kernel.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
               const char* file = __builtin_FILE(), int line = __builtin_LINE());
void configure_cooperative(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream, const char* file,
                           int line);
/// A parameter of a kernel: where it points, if it is a pointer, and to elements of which kind and size; or where
/// it is, if it is an object that may hold pointers.
struct kernel_pointer {
  const void* address = nullptr;
  char kind = 0;  ///< 'i', 'u', 'f'; 0: another type; 's': an object
  std::size_t element = 0;
};
/// The named parameters of a kernel, for the page with the stepper.
struct kernel_pointers {
  const char* names = "";  ///< separated by commas
  std::initializer_list<kernel_pointer> values = {};
};
template <class T>
kernel_pointer pointer_of(const T& value) {
  if constexpr (std::is_class_v<T>)
    return {static_cast<const void*>(__builtin_addressof(value)), 's', sizeof value};
  return {};
}
template <class Value>
kernel_pointer kernel_pointer_of(const void* address) {
  if constexpr (std::is_floating_point_v<Value>) {
    return {address, 'f', sizeof(Value)};
  } else if constexpr (std::is_integral_v<Value>) {
    return {address, std::is_signed_v<Value> ? 'i' : 'u', sizeof(Value)};
  } else {
    return {address, 0, 0};
  }
}
template <class T>
kernel_pointer pointer_of(T* pointer) {
  if constexpr (std::is_function_v<T>) {
    return {};
  } else {
    return kernel_pointer_of<std::remove_cv_t<T>>(
        const_cast<const void*>(static_cast<const volatile void*>(pointer)));
  }
}

/// Of __launch_bounds__. A kernel that has them lists itself in a section of the program, with that number.
constexpr unsigned most_threads(unsigned threads, unsigned /*least_blocks*/ = 0, unsigned /*most_blocks*/ = 0) {
  return threads;
}

/// Runs the body as configured. Called by the kernel, whose address is the caller's. `cluster`: that of the
/// kernel's __cluster_dims__.
void run_configured(void (*body)(void*), void* closure, std::size_t bytes, const kernel_pointers& pointers = {},
                    dim3 cluster = {});
/// The same for the kernel at this address.
void run_configured(void (*body)(void*), void* closure, std::size_t bytes, const void* kernel,
                    const kernel_pointers& pointers = {}, dim3 cluster = {});
/// Returns the error of this thread's last launch.
cudaError_t launch_result();

template <class Body>
[[gnu::always_inline]] inline void kernel_body(Body body, const kernel_pointers& pointers = {}, dim3 cluster = {}) {
  run_configured(
      [](void* closure) {
        Body copy(*static_cast<Body*>(closure));
        copy();
      },
      &body, sizeof body, pointers, cluster);
}

/// What simtcc makes of `extern __shared__ T name[]` in a function: a reference to the launch's dynamic shared
/// memory.
struct dynamic_array {
  template <class T>
  [[gnu::always_inline]] inline operator T&() const {
    return *reinterpret_cast<T*>(dynamic_shared_bytes());
  }
};

/// Launches the kernel as configured.
template <class... Parameters, class... Arguments>
cudaError_t call_kernel(void (*kernel)(Parameters...), Arguments&&... arguments) {
#if defined(__SIMTCC__)
  kernel(std::forward<Arguments>(arguments)...);
#else
  struct bound_call {
    void (*kernel)(Parameters...);
    std::tuple<std::decay_t<Parameters>...> arguments;
  } call{kernel, {std::forward<Arguments>(arguments)...}};
  run_configured(
      [](void* data) {
        auto& bound = *static_cast<bound_call*>(data);
        std::apply(bound.kernel, bound.arguments);
      },
      &call, sizeof call, reinterpret_cast<const void*>(kernel));
#endif
  return launch_result();
}
template <class... Parameters, std::size_t... i>
cudaError_t call_with_pointers(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>) {
  return call_kernel(kernel, *static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
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

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
namespace exactdot::simt::detail {
void configure(const cudaLaunchConfig_t& launch, const char* file, int line);
/// A configuration and the line of the call that it is given to.
struct launch_at {
  const cudaLaunchConfig_t* launch;
  const char* file;
  int line;
  launch_at(const cudaLaunchConfig_t* given, const char* in_file = __builtin_FILE(), int at_line = __builtin_LINE())
      : launch(given), file(in_file), line(at_line) {}
};
}  // namespace exactdot::simt::detail
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(exactdot::simt::detail::launch_at call, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  if (call.launch == nullptr) return cudaErrorInvalidValue;
  exactdot::simt::detail::configure(*call.launch, call.file, call.line);
  return exactdot::simt::detail::call_kernel(kernel,
                                             static_cast<Parameters>(std::forward<Arguments>(arguments))...);
}

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14
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
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return cudaSuccess;  // a hint
}
