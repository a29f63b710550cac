// What is computed of segments, for segment_work_kernel.cuh: extreme elements, and sums in mode fast.
#pragma once

#include <cuda/fast_line_kernel.cuh>
#include <cuda/fast_line_tuning.hpp>
#include <cuda/line_extremum_kernel.cuh>
#include <cuda/segment_work_kernel.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The least or greatest element of each segment, or its index in the segment.
template <int bytes, bool with_index, input_layout layout>
struct extremum_of_segments {
  const char* first = nullptr;  ///< of the vector
  std::ptrdiff_t stride = 0;    ///< in bytes
  bool swapped = false;
  rank_rule rule;
  extremum_results out;
  std::uint64_t of_none = 0;  ///< the bits of the result of an empty segment

  static constexpr int few = 1;
  static constexpr std::uint64_t longest_of_few = 64 / bytes, longest_of_group = 4096 / bytes;
  struct warp_storage {};
  template <int threads>
  struct block_storage {
    std::uint64_t of_warp[threads / 32];
  };

  template <int lanes>
  __device__ __forceinline__ void reduce(std::uint64_t index, std::uint64_t begin, std::uint64_t n, bool is_line,
                                         warp_storage&) const {
    using index_type = std::conditional_t<lanes == 32, std::size_t, unsigned>;
    const auto best = best_of_line<bytes, with_index, layout, 4, index_type>(*this, line(begin, n),
                                                                             lane_team<lanes>{}, rule, nullptr);
    if (is_line && threadIdx.x % lanes == 0) store_best<bytes>(out, index, rule, best);
  }
  template <int threads>
  __device__ __forceinline__ void reduce_by_block(std::uint64_t index, std::uint64_t begin, std::uint64_t n,
                                                  block_storage<threads>& storage, unsigned&) const {
    const auto best = best_of_line<bytes, with_index, layout, 4, std::size_t>(
        *this, line(begin, n), block_team<threads>{}, rule, storage.of_warp);
    if (threadIdx.x == 0) store_best<bytes>(out, index, rule, best);
  }
  /// The best element of this block's part of a segment: its rank, and its index.
  template <int threads>
  __device__ __forceinline__ segment_part reduce_part(std::uint64_t begin, std::uint64_t n,
                                                      block_storage<threads>& storage, unsigned&) const {
    const std::uint64_t from = n * blockIdx.x / gridDim.x, to = n * (blockIdx.x + 1) / gridDim.x;
    const auto best = best_of_line<bytes, with_index, layout, 4, std::size_t>(
        *this, line(begin + from, to - from), block_team<threads>{}, rule, storage.of_warp);
    return {best.rank, from == to ? ~std::uint64_t{0} : from + best.index};
  }
  /// `part`: of the block whose number is this thread's; there are no more blocks than threads.
  template <int threads>
  __device__ __forceinline__ void combine_parts(std::uint64_t index, std::uint64_t, const segment_part& part,
                                                block_storage<threads>& storage) const {
    const block_team<threads> team;
    const std::uint64_t rank = max_of_team(team, part.first, storage.of_warp);
    const std::uint64_t beyond = part.first == rank ? ~part.second : 0;  // the greatest is the lowest index
    const std::uint64_t lowest = ~max_of_team(team, beyond, storage.of_warp);
    if (threadIdx.x == 0) {
      store_best<bytes>(out, index, rule,
                        extremum_candidate<packed_word<bytes>>{static_cast<packed_word<bytes>>(rank), lowest});
    }
  }
  __device__ __forceinline__ void store_empty(std::uint64_t index, bool, bool stores) const {
    if (!stores) return;
    using element = typename exactdot::detail::unsigned_of<bytes>::type;
    if (out.gives_index) {
      *reinterpret_cast<std::uint64_t*>(out.at(index)) = 0;
    } else {
      *reinterpret_cast<element*>(out.at(index)) = static_cast<element>(of_none);
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ element_line line(std::uint64_t begin, std::uint64_t n) const {
    return {first + static_cast<std::ptrdiff_t>(begin) * stride, static_cast<std::size_t>(n)};
  }
};

/// The sum of each segment in mode fast.
template <class T, class Term, input_layout layout>
struct fast_sum_of_segments {
  static constexpr auto loads = layout == input_layout::contiguous ? input_layout::strided : input_layout::any;
  operands<T, loads> vector;
  line_results out;

  static constexpr int few = 2;
  static constexpr std::uint64_t longest_of_few = 128 / sizeof(T), longest_of_group = order_v1<T>::tile;
  /// Of one warp.
  struct warp_storage {
    T waiting[max_tree_levels];
  };
  template <int threads>
  using block_storage = block_tiles<T, threads>;

  template <int lanes>
  __device__ __forceinline__ void reduce(std::uint64_t index, std::uint64_t begin, std::uint64_t n, bool is_line,
                                         warp_storage& storage) const {
    using shape = std::conditional_t<lanes == few, tile_shape<few, 4, 1>,
                                     std::conditional_t<lanes == 8, tile_shape<8, 4, 1>, tile_shape<32, 1, 2>>>;
    // teams of 8 lanes have one tile each, and need no memory
    const T sum = sum_by_team<Term, layout, shape>(line(begin, n), storage.waiting);
    store_fast_line(out, index, n, sum, is_line && threadIdx.x % lanes == 0);
  }
  template <int threads>
  __device__ __forceinline__ void reduce_by_block(std::uint64_t index, std::uint64_t begin, std::uint64_t n,
                                                  block_storage<threads>& storage, unsigned& turn) const {
    const int log2_tiles = log2_tiles_of_warp(tiles_of<T>(static_cast<std::size_t>(n)), threads);
    const T sum = sum_by_block<Term, layout, threads, 2>(line(begin, n), log2_tiles, storage, turn);
    if (threadIdx.x < 32) store_fast_line(out, index, n, sum, threadIdx.x == 0);
  }
  /// The subtree of this block's tiles.
  template <int threads>
  __device__ __forceinline__ segment_part reduce_part(std::uint64_t begin, std::uint64_t n,
                                                      block_storage<threads>& storage, unsigned& turn) const {
    const std::size_t tiles = tiles_of<T>(static_cast<std::size_t>(n));
    const int log2_part = log2_tiles_of_part(tiles);
    const std::uint64_t first = (std::uint64_t{blockIdx.x} << log2_part) * order_v1<T>::tile;
    if (first >= n) return {0, 0};
    const std::uint64_t most = std::uint64_t{order_v1<T>::tile} << log2_part, left = n - first;
    const int log2_tiles = log2_tiles_of_warp(std::size_t{1} << log2_part, threads);
    const T sum = sum_by_block<Term, layout, threads, 2>(line(begin + first, left < most ? left : most), log2_tiles,
                                                         storage, turn);
    return {core::to_word(sum), 0};
  }
  /// `part`: of the block whose number is this thread's; there are no more blocks than threads.
  template <int threads>
  __device__ __forceinline__ void combine_parts(std::uint64_t index, std::uint64_t n, const segment_part& part,
                                                block_storage<threads>& storage) const {
    constexpr unsigned warps = threads / 32;
    const std::size_t tiles = tiles_of<T>(static_cast<std::size_t>(n));
    const int log2_part = log2_tiles_of_part(tiles);
    const auto nodes = static_cast<unsigned>(((tiles - 1) >> log2_part) + 1);
    T sum = core::from_word<T>(part.first);
    sum = add_neighbours<32>(sum, threadIdx.x, nodes);
    __syncthreads();  // the block's own part has been added
    if (threadIdx.x % 32 == 0) storage.warp_sum[0][threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = add_neighbours<warps>(threadIdx.x < warps ? storage.warp_sum[0][threadIdx.x] : T{0}, threadIdx.x,
                                (nodes + 31) / 32);
    store_fast_line(out, index, n, sum, threadIdx.x == 0);
  }
  __device__ __forceinline__ void store_empty(std::uint64_t index, bool is_valid, bool stores) const {
    store_fast_line(out, index, 0, is_valid ? T{0} : core::canonical_nan<T>(), stores);
  }

 private:
  /// log2 of the tiles of a block's part: a subtree, so that no more blocks have one than there are.
  [[nodiscard]] static __device__ __forceinline__ int log2_tiles_of_part(std::size_t tiles) {
    int log2_part = 0;
    while (((tiles - 1) >> log2_part) >= gridDim.x) ++log2_part;
    return log2_part;
  }
  [[nodiscard]] __device__ __forceinline__ operands<T, loads> line(std::uint64_t begin, std::uint64_t n) const {
    const auto skipped = static_cast<std::ptrdiff_t>(begin);
    operands<T, loads> one = vector;
    if constexpr (loads == input_layout::any) {
      one.a.data += skipped * one.a.stride;
      one.b.data += skipped * one.b.stride;
    } else {
      one.a += skipped * one.stride_a;
      if (one.b != nullptr) one.b += skipped * one.stride_b;
    }
    one.n = static_cast<std::size_t>(n);
    return one;
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
