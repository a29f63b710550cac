// Reads all elements of the inputs with a whole grid, each by one thread.
//
// Contiguous inputs: 16-byte loads if both can be aligned at once, else single elements. Strided inputs: single
// elements, in either byte order.
#pragma once

#include <cstdint>
#include <cuda/destination.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

__device__ __forceinline__ float magnitude(float x) { return fabsf(x); }
__device__ __forceinline__ double magnitude(double x) { return fabs(x); }

/// What one 16-byte load reads.
template <class T>
struct alignas(16) pack {
  static constexpr int count = 16 / sizeof(T);
  T element[count];
};

/// Elements before the first that is aligned to 16 bytes.
template <class T>
__device__ inline std::size_t elements_to_alignment(const T* x) {
  return (16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16 / sizeof(T);
}

__device__ __forceinline__ unsigned reversed_bytes(unsigned word) { return __byte_perm(word, 0, 0x0123); }

/// The element in native byte order.
template <class T>
__device__ __forceinline__ T in_native_order(T x, bool swapped) {
  if (!swapped) return x;
  using bits = typename core::format<T>::bits;
  const auto word = core::bit_cast<bits>(x);
  if constexpr (sizeof(T) == 8) {
    const auto low = reversed_bytes(static_cast<unsigned>(word >> 32));
    const auto high = reversed_bytes(static_cast<unsigned>(word));
    return core::bit_cast<T>(std::uint64_t{high} << 32 | low);
  } else {
    static_assert(sizeof(T) == 4);
    return core::bit_cast<T>(reversed_bytes(word));
  }
}

/// Element i of an input of any stride and byte order.
template <class T>
__device__ __forceinline__ T element_at(const T* x, std::ptrdiff_t stride, bool swapped, std::size_t i) {
  const auto* const at = reinterpret_cast<const char*>(x) + static_cast<std::ptrdiff_t>(i) * stride;
  return in_native_order(*reinterpret_cast<const T*>(at), swapped);
}

/// Calls add(x, y) with arrays of elements, for this thread's share: a grid-stride loop that loads `in_flight`
/// elements of each input before it uses the first.
template <class Term, int in_flight, class T, class Load, class Add>
__device__ __forceinline__ void for_each_element(std::size_t n, Load load, Add add) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (in_flight - 1) * stride < n; i += in_flight * stride) {
    T x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) load(i + k * stride, x[k], y[k]);
    add(x, y);
  }
  for (; i < n; i += stride) {
    T x[1], y[1];
    load(i, x[0], y[0]);
    add(x, y);
  }
}

/// Calls add(x, y) with arrays of neighbouring elements of contiguous inputs, for this thread's share: a
/// grid-stride loop with `in_flight` loads of each input issued before the first is used. Any alignment; if both
/// inputs have the same, loads are 16 bytes wide.
template <class Term, int in_flight, class T, class Add>
__device__ __forceinline__ void for_each_aligned_pack(const T* a, const T* b, std::size_t n, Add add) {
  using packed = pack<T>;
  constexpr bool two = Term::inputs == 2;
  const std::size_t head = min(elements_to_alignment(a), static_cast<std::size_t>(n));
  if (head != elements_to_alignment(b) && head != n) {
    for_each_element<Term, in_flight, T>(
        n, [&](std::size_t i, T& x, T& y) { x = a[i], y = two ? b[i] : x; }, add);
    return;
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t packs = (n - head) / packed::count;
  const auto* const a_packs = reinterpret_cast<const packed*>(a + head);
  const auto* const b_packs = reinterpret_cast<const packed*>(b + head);
  std::size_t i = thread;
  for (; i + (in_flight - 1) * stride < packs; i += in_flight * stride) {
    packed x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      x[k] = a_packs[i + k * stride];
      y[k] = two ? b_packs[i + k * stride] : x[k];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
  }
  for (; i < packs; i += stride) {
    const packed x = a_packs[i], y = two ? b_packs[i] : x;
    add(x.element, y.element);
  }
  // at most 3 elements before the packs and 3 after them
  const std::size_t behind = head + packs * packed::count;
  const std::size_t single = thread < head ? thread : behind + thread - head;
  if (single < n) {
    const T x[1] = {a[single]}, y[1] = {two ? b[single] : a[single]};
    add(x, y);
  }
}

/// The same for inputs of any layout.
template <class Term, int in_flight, class T, input_layout layout, class Add>
__device__ __forceinline__ void for_each_pack(const operands<T, layout>& in, Add add) {
  constexpr bool two = Term::inputs == 2;
  const T* const a = in.a;
  const T* const b = two ? in.b : in.a;
  const std::size_t n = in.n;
  if constexpr (layout == input_layout::strided) {
    for_each_element<Term, in_flight, T>(
        n,
        [&](std::size_t i, T& x, T& y) {
          x = element_at(a, in.stride_a, in.swapped_a, i);
          y = two ? element_at(b, in.stride_b, in.swapped_b, i) : x;
        },
        add);
  } else {
    for_each_aligned_pack<Term, in_flight>(a, b, n, add);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
