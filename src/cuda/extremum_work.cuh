// The least or greatest element of a line, or its index in the line, as a work (line_reduction.cuh): its total is
// the highest rank and the lowest index that has it. So it is known at once, and no line stays open.
#pragma once

#include <cuda/line_extremum_kernel.cuh>
#include <cuda/line_reduction.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// {}: of no elements. All elements of a line may have rank 0; then its first one is the best.
template <class Rank>
struct best_element : extremum_candidate<Rank> {
  __device__ __forceinline__ void join(const best_element& other) {
    if (is_better(other, *this)) *this = other;
  }
};
template <class Rank>
__device__ __forceinline__ void copy_sum(const best_element<Rank>& from, best_element<Rank>& to) {
  to = from;
}
template <class Rank, class Shuffle>
__device__ __forceinline__ best_element<Rank> shuffled(const best_element<Rank>& x, Shuffle shuffle) {
  return {shuffle(x.rank), shuffle(x.index)};
}

/// Of elements of `bytes` bytes.
template <int bytes, bool with_index>
struct extremum_of_line {
  using results = extremum_results;
  using request = extremum_request;
  template <input_layout>
  using source = element_source;
  using total = best_element<packed_word<bytes>>;
  struct storage {};
  static constexpr int sums = 1;
  static constexpr bool stays_open = false;
  template <input_layout>
  static constexpr segment_row segments = segments_of_extrema(bytes);
  static constexpr block_config split = split_extrema;

  template <input_layout layout, int in_flight, class Index, class Team>
  static __device__ __forceinline__ total total_of(const element_source& in, const element_line& line, Team team,
                                                   total* of_warp, const request& asked) {
    const auto best =
        best_of_line<bytes, with_index, layout, in_flight, Index>(in.lines, line, team, asked.rule, of_warp);
    return {best.rank, with_index ? line.begin + best.index : 0};
  }
  static __device__ __forceinline__ bool finish(const total& best, const extremum_results& out, std::size_t i,
                                                const request& asked) {
    store_best<bytes>(out, i, asked.rule, best);
    return true;
  }
  static __device__ __forceinline__ void store_none(const extremum_results& out, std::size_t i, bool is_valid,
                                                    const request& asked) {
    if (is_valid) note_lowest(asked.empty, i);
    if (with_index) {
      *reinterpret_cast<std::uint64_t*>(out.at(i)) = 0;
    } else {
      using element = typename exactdot::detail::unsigned_of<bytes>::type;
      *reinterpret_cast<element*>(out.at(i)) = static_cast<element>(asked.of_none);
    }
  }

  static __device__ __forceinline__ void store(const total& from, stored_trace* to) { store_candidate(from, to); }
  static __device__ __forceinline__ void load(const stored_trace* from, total& to) { load_candidate(from, to); }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
