// What is computed of segments, for segment_work_kernel.cuh: extreme elements.
#pragma once

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

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
