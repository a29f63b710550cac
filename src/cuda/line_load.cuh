// Reads the elements of one line with some lanes of a warp, or a block.
//
// Contiguous lines, aligned or not: 16-byte loads if both inputs can be aligned at once, else as many loads of
// single elements, neighbours in neighbouring threads; as load.cuh does for a grid. Others: single elements.
#pragma once

#include <cuda/line_operands.hpp>
#include <cuda/load.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Neighbouring lanes of a warp that share a line. This and block_team are shares of it (load.cuh).
template <int lanes_>
struct lane_team {
  static constexpr int lanes = lanes_;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return threadIdx.x % lanes; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return lanes; }
  static __device__ __forceinline__ void synchronise() { __syncwarp(); }
};

template <int lanes_>
struct block_team {
  static constexpr int lanes = lanes_;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return threadIdx.x; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return lanes; }
  static __device__ __forceinline__ void synchronise() { __syncthreads(); }
};

/// Every `columns`-th thread of a block, from this one's on: a share of a column.
template <int threads_, int columns>
struct column_team {
  static constexpr int lanes = threads_ / columns;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return threadIdx.x / columns; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return lanes; }
};

/// All elements of `count` lines of n, or so many that no launch is short.
__device__ __forceinline__ std::size_t elements_of(std::size_t count, std::size_t n) {
  return count > std::size_t{1} << 32 || n > std::size_t{1} << 31 ? ~std::size_t{0} : count * n;
}
/// The same of an input.
template <class T, input_layout layout>
__device__ __forceinline__ std::size_t elements_of(const line_operands<T, layout>& in) {
  return elements_of(in.count, in.first.n);
}
template <class T>
__device__ __forceinline__ std::size_t elements_of(const one_stride_lines<T>& in) {
  return elements_of(in.count, in.first.n);
}

/// Elements before the first that is aligned to 16 bytes.
template <class T>
__device__ __forceinline__ unsigned to_alignment(const T* x) {
  return (16 - static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(x) % 16)) % 16 / sizeof(T);
}

/// Calls add(x, y) with arrays of elements of packs, for this thread's part of a line, and with single elements
/// before and behind them. Index: unsigned for lines of less than 2^30 elements.
template <class Term, int in_flight, class Index, class Team, class T, class Add>
__device__ __forceinline__ void for_each_pack_of_line(const T* a, const T* b, Index n, Index head, Team team,
                                                      Add add) {
  constexpr Index width = pack<T>::count, lanes = Team::lanes;
  constexpr bool two = Term::inputs == 2;
  const auto thread = static_cast<Index>(team.first_thread());
  const Index end = n - (n - head) % width;
  for (Index i = head + thread * width; i < end; i += in_flight * lanes * width) {
    pack<T> x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const Index at = i + static_cast<Index>(k) * lanes * width;
      x[k] = y[k] = pack<T>{};
      if (k > 0 && at >= end) continue;
      x[k] = *reinterpret_cast<const pack<T>*>(a + at);
      y[k] = two ? *reinterpret_cast<const pack<T>*>(b + at) : x[k];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
  }
  const Index in_packs = end - head;
  for (Index i = thread; i < n - in_packs; i += lanes) {
    const Index single = i < head ? i : i + in_packs;
    const T x[1] = {a[single]}, y[1] = {two ? b[single] : x[0]};
    add(x, y);
  }
}

/// The same by loads of single elements, a pack's number for each pack in flight.
template <class Term, int in_flight, class Index, class Team, class T, class Add>
__device__ __forceinline__ void for_each_of_unaligned_line(const T* a, const T* b, Index n, Team team, Add add) {
  constexpr Index width = pack<T>::count, lanes = Team::lanes;
  for (auto i = static_cast<Index>(team.first_thread()); i < n; i += in_flight * lanes * width) {
    pack<T> x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
#pragma unroll
      for (Index j = 0; j < width; ++j) {
        const Index at = i + (static_cast<Index>(k) * width + j) * lanes;
        x[k].element[j] = y[k].element[j] = 0;
        if (at >= n) continue;
        x[k].element[j] = a[at];
        y[k].element[j] = b[at];
      }
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
  }
}

/// The elements of a line whose strides are 1.
template <class Term, int in_flight, class Index, class Team, class T, class Add>
__device__ __forceinline__ void for_each_of_contiguous_line(const operands<T, input_layout::strided>& line,
                                                            Team team, Add add) {
  const auto n = static_cast<Index>(line.n);
  const unsigned to_pack = to_alignment(line.a);
  if constexpr (Term::inputs == 2) {
    if (to_pack != to_alignment(line.b)) {
      return for_each_of_unaligned_line<Term, in_flight, Index>(line.a, line.b, n, team, add);
    }
  }
  for_each_pack_of_line<Term, in_flight, Index>(line.a, line.b, n, min(static_cast<Index>(to_pack), n), team, add);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
