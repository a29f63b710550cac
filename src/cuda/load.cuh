// Walks both vectors with a whole grid: 16-byte loads where both can be aligned at once, else single elements.
#pragma once

#include <cstdint>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

/// What one load takes.
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

/// Calls add(x, y) with arrays of elements, for this thread's share: a grid-stride loop with `at_once` loads from
/// each vector on their way before any is used. Any alignment of T; both vectors alike get 16-byte loads.
template <int at_once, class T, class Add>
__device__ __forceinline__ void for_each_chunk(const T* a, const T* b, std::size_t n, Add add) {
  using packed = pack<T>;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t head = min(elements_to_alignment(a), static_cast<std::size_t>(n));
  if (head != elements_to_alignment(b) && head != n) {
    std::size_t i = thread;
    for (; i + (at_once - 1) * stride < n; i += at_once * stride) {
      T x[at_once], y[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) x[k] = a[i + k * stride], y[k] = b[i + k * stride];
      add(x, y);
    }
    for (; i < n; i += stride) {
      const T x[1] = {a[i]}, y[1] = {b[i]};
      add(x, y);
    }
    return;
  }
  const std::size_t packs = (n - head) / packed::count;
  const auto* const a_packs = reinterpret_cast<const packed*>(a + head);
  const auto* const b_packs = reinterpret_cast<const packed*>(b + head);
  std::size_t i = thread;
  for (; i + (at_once - 1) * stride < packs; i += at_once * stride) {
    packed x[at_once], y[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) x[k] = a_packs[i + k * stride], y[k] = b_packs[i + k * stride];
#pragma unroll
    for (int k = 0; k < at_once; ++k) add(x[k].element, y[k].element);
  }
  for (; i < packs; i += stride) {
    const packed x = a_packs[i], y = b_packs[i];
    add(x.element, y.element);
  }
  // at most 3 elements before the packs and 3 behind them
  const std::size_t behind = head + packs * packed::count;
  const std::size_t single = thread < head ? thread : behind + thread - head;
  if (single < n) {
    const T x[1] = {a[single]}, y[1] = {b[single]};
    add(x, y);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
