// What the works of exact sums have in common (sum.cuh, moments.cuh): tuning, bounds, results of lines without
// elements, and how a total lies in device memory between blocks.
#pragma once

#include <cuda/core/line_tuning.hpp>
#include <cuda/core/lines.hpp>
#include <cuda/core/split_lines.hpp>
#include <cuda/sum/packed_sum.cuh>
#include <cuda/work/line_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of each sum of a work; the second one of moments only.
struct line_bounds {
  error_bound of_sum, of_squares;
};

/// The destination of line i, of n elements.
__device__ __forceinline__ destination destination_of(const line_results& out, std::size_t i, std::uint64_t n) {
  destination to = destination_of(out, i);
  to.count = n;
  return to;
}

template <bool tracks_least>
__device__ __forceinline__ void store_trace(const traced_sum<tracks_least>& from, stored_trace& to) {
  to.sum = from.sum, to.correction = from.correction, to.error = from.error, to.least = 0;
  if constexpr (tracks_least) to.least = from.least;
}
template <bool tracks_least>
__device__ __forceinline__ void load_trace(const stored_trace& stored, traced_sum<tracks_least>& to) {
  const volatile stored_trace& from = stored;  // another block's
  to.sum = from.sum, to.correction = from.correction, to.error = from.error;
  if constexpr (tracks_least) to.least = from.least;
}

/// What works of exact sums have in common.
template <class T, class Term_, int sums_>
struct exact_sums {
  using carrier = T;
  using Term = Term_;  ///< for the loops
  using results = line_results;
  using request = line_request;
  template <input_layout layout>
  using source = line_source<T, layout>;
  template <input_layout layout>
  using columns = lines_of<T, layout>;
  static constexpr int sums = sums_;
  static constexpr bool stays_open = true;  ///< if the bounds do not decide
  template <input_layout layout>
  static constexpr segment_row segments = segments_of_sums<T, sums_, layout>();
  template <input_layout layout>
  static constexpr block_config split = split_config<T, sums_, Term_::inputs, layout>();
  template <input_layout layout>
  static constexpr column_config columns_of_thread = columns_of_sums<sums_, Term_::inputs, layout>();

  /// The result of a line without elements, or with wrong offsets. By one thread.
  static __device__ __forceinline__ void store_none(const line_results& out, std::size_t i, bool is_valid,
                                                    const line_request& asked) {
    store_line<T>(out, i, is_valid ? asked.of_none : asked.of_bad);
  }
};

/// Puts the exact sum of a line's terms, or the numbers of those that are infinite or NaN, into storage.sum. By all
/// threads of a team; a barrier before and after.
template <class Team, class Line, class Storage>
__device__ __forceinline__ void sum_exactly(const core::term_info& term, const Line& line, Team team,
                                            Storage& storage) {
  for (const bool in_integers : {false, true}) {
    sum_by(in_integers, term, line, team, storage);
    const bool any_special = (storage.sum.special[0] | storage.sum.special[1] | storage.sum.special[2]) != 0;
    if (storage.sum.log2_error == 0 || any_special) return;  // nothing that counts is missing
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
