// Reads the elements of one line with some lanes of a warp, or a block.
//
// Contiguous lines of any type, aligned or not: 16-byte loads if both inputs can be aligned at once, else as many
// loads of single elements, neighbours in neighbouring threads; as load.cuh does for a grid. Others: single
// elements.
#pragma once

#include <cuda/core/converted_load.cuh>
#include <cuda/core/lines.hpp>
#include <cuda/core/load.cuh>

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

/// Every 2^log2_across-th thread of a block, from this one's on: a share of a column.
template <int block_threads>
struct column_team {
  int log2_across;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return threadIdx.x >> log2_across; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return block_threads >> log2_across; }
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

/// 16 bytes of the n elements that begin at `first`, from element k on; zeros behind the last. `is_aligned`: they
/// follow each other, and begin at a multiple of 16 bytes, as k elements are.
template <class Element>
__device__ __forceinline__ word_pack load_pack(const char* first, std::ptrdiff_t stride, bool is_aligned,
                                               std::size_t k, std::size_t n) {
  constexpr unsigned elements = 16 / sizeof(Element), per_word = 4 / sizeof(Element), bits = 8 * sizeof(Element);
  if (is_aligned && k + elements <= n) return *reinterpret_cast<const word_pack*>(first + k * sizeof(Element));
  word_pack found{};
#pragma unroll
  for (unsigned j = 0; j < elements; ++j) {
    if (k + j >= n) break;
    using word = typename detail::unsigned_of<sizeof(Element)>::type;
    const word x = *reinterpret_cast<const word*>(first + static_cast<std::ptrdiff_t>(k + j) * stride);
    found.element[j / per_word] |= unsigned{x} << bits * (j % per_word);
  }
  return found;
}

/// Elements before the first that is aligned to 16 bytes.
template <class T>
__device__ __forceinline__ unsigned to_alignment(const T* x) {
  return (16 - static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(x) % 16)) % 16 / sizeof(T);
}

/// For this thread's share of a line: add(x, y) of packs, and add_single(x, y) of the elements before and behind
/// them. Pack: 16 bytes of elements T. Index: unsigned for lines of less than 2^30 elements.
template <class Pack, bool two, int in_flight, class Index, class Team, class T, class Add, class AddSingle>
__device__ __forceinline__ void for_each_pack_of_line(const T* a, const T* b, Index n, Index head, Team team,
                                                      Add add, AddSingle add_single) {
  constexpr Index width = sizeof(Pack) / sizeof(T), lanes = Team::lanes;
  const auto thread = static_cast<Index>(team.first_thread());
  const Index end = n - (n - head) % width;
  for (Index i = head + thread * width; i < end; i += in_flight * lanes * width) {
    Pack x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const Index at = i + static_cast<Index>(k) * lanes * width;
      x[k] = y[k] = Pack{};
      if (k > 0 && at >= end) continue;
      x[k] = *reinterpret_cast<const Pack*>(a + at);
      y[k] = two ? *reinterpret_cast<const Pack*>(b + at) : x[k];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k], y[k]);
  }
  const Index in_packs = end - head;
  for (Index i = thread; i < n - in_packs; i += lanes) {
    const Index single = i < head ? i : i + in_packs;
    const T x = a[single];
    add_single(x, two ? b[single] : x);
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
  for_each_pack_of_line<pack<T>, Term::inputs == 2, in_flight>(
      line.a, line.b, n, ::min(static_cast<Index>(to_pack), n), team,
      [&](const pack<T>& x, const pack<T>& y) { add(x.element, y.element); },
      [&](T x, T y) {
        const T of_a[1] = {x}, of_b[1] = {y};
        add(of_a, of_b);
      });
}

/// The elements of a contiguous line that are no carriers, added to `sums` (sum/packed_sum.cuh). Inputs that cannot
/// be aligned at once: by single elements, neighbours in neighbouring threads.
template <class Term, class Element, int in_flight, class Index, class Team, class T, class Sums>
__device__ __forceinline__ void add_converted_line(const operands<T, input_layout::any>& line, Team team,
                                                   Sums& sums) {
  const auto* const a = reinterpret_cast<const Element*>(line.a.data);
  const auto* const b = reinterpret_cast<const Element*>(line.b.data);
  const auto n = static_cast<Index>(line.n >> line.log2_parts_a);
  const unsigned to_pack = to_alignment(a);
  if constexpr (Term::inputs == 2) {
    if (to_pack != to_alignment(b)) {
      constexpr int at_once = 8;
      for (auto i = static_cast<Index>(team.first_thread()); i < n; i += at_once * Team::lanes) {
        Element x[at_once] = {}, y[at_once] = {};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const Index at = i + static_cast<Index>(k) * Team::lanes;
          if (at < n) x[k] = a[at], y[k] = b[at];
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) sums.add_single(x[k], y[k]);
      }
      return;
    }
  }
  for_each_pack_of_line<word_pack, Term::inputs == 2, in_flight>(
      a, b, n, ::min(static_cast<Index>(to_pack), n), team,
      [&](const word_pack& x, const word_pack& y) { sums.add(x, y); },
      [&](Element x, Element y) { sums.add_single(x, y); });
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
