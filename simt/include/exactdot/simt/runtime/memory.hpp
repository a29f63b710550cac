// CUDA's memory functions, for programs that simtcc compiles.
//
// Device memory is the simulator's. Managed and page-locked memory is too, but host code may use it, so reads of it
// before a write are not reported. All copies are complete when the call returns, those of Async too; host code that
// uses such memory without waiting for a copy is reported. Arrays and 3-D copies are not declared.
#pragma once

#include <cstddef>
#include <exactdot/simt/runtime/errors.hpp>
#include <type_traits>

struct CUstream_st;
using cudaStream_t = CUstream_st*;

namespace exactdot::simt::detail {

/// Which bytes of an element hold data. A copy of unwritten padding is no fault.
struct element_layout {
  std::size_t bytes = 0;                // 0: the type is not known
  const unsigned char* data = nullptr;  // per byte, zero: padding; null: there is no padding
};

template <class T, class = void>
inline constexpr bool is_complete = false;
template <class T>
inline constexpr bool is_complete<T, std::void_t<decltype(sizeof(T))>> = true;

template <class T>
element_layout layout_of() {
  if constexpr (std::is_void_v<T> || std::is_union_v<T>) {
    return {};
  } else if constexpr (std::is_class_v<T> && !is_complete<T>) {
    return {};
  } else if constexpr (std::is_class_v<T>) {
#if __has_builtin(__builtin_clear_padding)
    if constexpr (std::is_trivially_copyable_v<T>) {
      struct mask {
        alignas(T) unsigned char bytes[sizeof(T)];
        mask() {
          __builtin_memset(bytes, 1, sizeof bytes);
          __builtin_clear_padding(reinterpret_cast<T*>(bytes));
        }
      };
      static const mask of_type;
      return {sizeof(T), of_type.bytes};
    }
#endif
    return {};
  } else {
    return {1, nullptr};
  }
}
/// Of a copy: a struct of either pointer has the padding; otherwise each byte of a type that is known is data.
template <class To, class From>
element_layout layout_of_copy() {
  constexpr bool from_tells = std::is_class_v<From> || (!std::is_class_v<To> && !std::is_void_v<From>);
  return layout_of<std::conditional_t<from_tells, From, To>>();
}

}  // namespace exactdot::simt::detail

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
inline constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
inline constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                          cudaHostAllocWriteCombined = 4;
inline constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
                          cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8;
inline constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes);
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned flags = cudaHostAllocDefault);
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height);
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
/// Kernels may use the memory until it is unregistered; it counts as written.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width_bytes, height);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

// Copies and fills. A source that no kernel and no copy has written is reported, with the line of the call.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* to, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width_bytes, std::size_t height);
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width_bytes, std::size_t height,
                              cudaStream_t stream = nullptr);

// By the types of the pointers a copy knows which bytes are padding.
namespace exactdot::simt::detail {
cudaError_t copy_elements(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                          const element_layout& layout);
cudaError_t copy_elements(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                          const element_layout& layout, cudaStream_t stream);
/// In bytes and rows.
struct copied_rows {
  std::size_t to_pitch, from_pitch, width, height;
};
cudaError_t copy_rows_of_elements(void* to, const void* from, const copied_rows& rows, cudaMemcpyKind kind,
                                  const element_layout& layout);
cudaError_t copy_rows_of_elements(void* to, const void* from, const copied_rows& rows, cudaMemcpyKind kind,
                                  const element_layout& layout, cudaStream_t stream);
}  // namespace exactdot::simt::detail
template <class T, class F>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy(T* to, const F* from, std::size_t bytes, cudaMemcpyKind kind) {
  return exactdot::simt::detail::copy_elements(to, from, bytes, kind,
                                               exactdot::simt::detail::layout_of_copy<T, F>());
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy(T* to, const void* from, std::size_t bytes,
                                                     cudaMemcpyKind kind) {
  return exactdot::simt::detail::copy_elements(to, from, bytes, kind, exactdot::simt::detail::layout_of<T>());
}
template <class T, class F>
[[gnu::always_inline]] inline cudaError_t cudaMemcpyAsync(T* to, const F* from, std::size_t bytes,
                                                          cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_elements(to, from, bytes, kind,
                                               exactdot::simt::detail::layout_of_copy<T, F>(), stream);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMemcpyAsync(T* to, const void* from, std::size_t bytes,
                                                          cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_elements(to, from, bytes, kind, exactdot::simt::detail::layout_of<T>(),
                                               stream);
}
template <class T, class F>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy2D(T* to, std::size_t to_pitch, const F* from,
                                                       std::size_t from_pitch, std::size_t width_bytes,
                                                       std::size_t height, cudaMemcpyKind kind) {
  return exactdot::simt::detail::copy_rows_of_elements(to, from, {to_pitch, from_pitch, width_bytes, height}, kind,
                                                       exactdot::simt::detail::layout_of_copy<T, F>());
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy2D(T* to, std::size_t to_pitch, const void* from,
                                                       std::size_t from_pitch, std::size_t width_bytes,
                                                       std::size_t height, cudaMemcpyKind kind) {
  return exactdot::simt::detail::copy_rows_of_elements(to, from, {to_pitch, from_pitch, width_bytes, height}, kind,
                                                       exactdot::simt::detail::layout_of<T>());
}
template <class T, class F>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy2DAsync(T* to, std::size_t to_pitch, const F* from,
                                                            std::size_t from_pitch, std::size_t width_bytes,
                                                            std::size_t height, cudaMemcpyKind kind,
                                                            cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_rows_of_elements(to, from, {to_pitch, from_pitch, width_bytes, height}, kind,
                                                       exactdot::simt::detail::layout_of_copy<T, F>(), stream);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy2DAsync(T* to, std::size_t to_pitch, const void* from,
                                                            std::size_t from_pitch, std::size_t width_bytes,
                                                            std::size_t height, cudaMemcpyKind kind,
                                                            cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_rows_of_elements(to, from, {to_pitch, from_pitch, width_bytes, height}, kind,
                                                       exactdot::simt::detail::layout_of<T>(), stream);
}

/// Managed memory is every stream's: the host may use it at any time here.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer);

// Hints, without effect.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device, cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);

namespace exactdot::simt::detail {
cudaError_t copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t symbol_bytes, std::size_t offset,
                        bool to_symbol);
cudaError_t copy_symbol(void* to, const void* from, std::size_t bytes, std::size_t symbol_bytes, std::size_t offset,
                        bool to_symbol, cudaStream_t stream);
/// The program may give this address to kernels and copies from now on.
cudaError_t get_symbol_address(void** pointer, const void* symbol, std::size_t bytes);
}  // namespace exactdot::simt::detail

// Variables with __device__ and __constant__ are variables of the program.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return exactdot::simt::detail::copy_symbol(const_cast<std::remove_cv_t<T>*>(&symbol), from, bytes, sizeof symbol,
                                             offset, true);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind, cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_symbol(const_cast<std::remove_cv_t<T>*>(&symbol), from, bytes, sizeof symbol,
                                             offset, true, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return exactdot::simt::detail::copy_symbol(to, &symbol, bytes, sizeof symbol, offset, false);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind, cudaStream_t stream = nullptr) {
  return exactdot::simt::detail::copy_symbol(to, &symbol, bytes, sizeof symbol, offset, false, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return exactdot::simt::detail::get_symbol_address(
      pointer, const_cast<const std::remove_cv_t<T>*>(__builtin_addressof(symbol)), sizeof symbol);
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
  return cudaGetSymbolAddress(reinterpret_cast<void**>(pointer), symbol);
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
