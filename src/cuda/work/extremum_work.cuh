// The least or greatest element of a line, or its index in the line, as a work (total_of_line.cuh): its total is
// the highest rank and the lowest index that has it. So it is known at once, and no line stays open.
#pragma once

#include <cuda/shape/extremum_lines.cuh>
#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A best element of a piece of a line, for another block.
struct stored_best {
  std::uint64_t rank, index;
};
static_assert(sizeof(stored_best) <= sizeof(stored_trace));

/// Of elements of `bytes` bytes.
template <int bytes, bool with_index>
struct extremum_of_line {
  using results = extremum_results;
  using request = extremum_request;
  template <input_layout>
  using source = element_source;
  template <input_layout>
  using columns = element_lines;  ///< or lines of any place
  using total = best_element<packed_word<bytes>>;
  struct storage {};
  static constexpr int sums = 1;
  static constexpr bool stays_open = false;
  template <input_layout>
  static constexpr segment_row segments = segments_of_extrema(bytes);
  template <input_layout>
  static constexpr block_config split = split_extrema;
  template <input_layout layout>
  static constexpr column_config columns_of_thread = columns_of_extrema<bytes, layout>();
  using element = typename exactdot::detail::unsigned_of<bytes>::type;
  template <int width>
  using of_columns = best_of_columns<bytes, width>;  ///< by words; without indices

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
      *reinterpret_cast<element*>(out.at(i)) = static_cast<element>(asked.of_none);
    }
  }

  /// The best of a thread's share of rows `from` to before `to` of a column.
  template <int in_flight, class Share>
  static __device__ __forceinline__ total total_of_rows(const element_lines& in, std::size_t column,
                                                        std::size_t from, std::size_t to, Share share,
                                                        const request& asked) {
    auto best = best_of_elements<bytes, with_index, in_flight>(in, in.part(column, from, to), share, asked.rule);
    if (best.index != ~std::uint64_t{0}) best.index += from;
    return {best};
  }

  static __device__ __forceinline__ void store(const total& from, stored_trace* place) {
    volatile stored_best* const to = reinterpret_cast<volatile stored_best*>(place);
    to->rank = from.rank;
    to->index = from.index;
  }
  static __device__ __forceinline__ void load(const stored_trace* place, total& to) {
    const volatile stored_best* const from = reinterpret_cast<const volatile stored_best*>(place);
    to.rank = static_cast<packed_word<bytes>>(from->rank), to.index = from->index;
  }
};

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
