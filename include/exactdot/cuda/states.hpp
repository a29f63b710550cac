// SPDX-License-Identifier: Apache-2.0
// Exact states in a GPU's memory, as words: merged and rounded there, ordered by a stream.
//
// dot_into, then an allreduce of the words as 64-bit integers (NCCL: ncclInt64, ncclSum), then round: one stream,
// no host, and the bits of one call on all data, for any number of GPUs (docs/scale.md). Calls allocate no device
// memory and do not wait, so they can be captured in a graph.
#pragma once

#include <exactdot/cuda.hpp>

namespace exactdot::cuda {

/// Words of states in device memory: `rows` states, each the words of an accumulator of `type`, or of moments (the
/// count, the words of Σx, the words of Σx²). They may be elementwise sums of up to 2^31 − 1 states, as after an
/// allreduce. Rows of zeros are empty sums.
struct state_rows {
  element_type type = element_type::float64;
  std::int64_t* words = nullptr;
  std::size_t rows = 1;
  bool of_moments = false;
  std::size_t stride = 0;  ///< words from a row to the next; 0: rows follow each other

  [[nodiscard]] constexpr std::size_t word_count() const {
    const auto state = static_cast<std::size_t>(exactdot::detail::state_shape_of(type).limbs()) + 4;
    return of_moments ? 1 + 2 * state : state;
  }
};

/// What a result is made of, beside the states.
struct finish_options {
  std::uint64_t count = 1;  ///< mean of accumulators: the number of elements; of moments, the row tells it
  std::int64_t ddof = 0;    ///< variance, stddev
};

namespace detail {
void round(workspace& on, const state_rows& states, reduction what, element_type type, void* results,
           const finish_options& options);
void merge(workspace& on, const state_rows& states, const std::int64_t* others, std::size_t other_stride);
void add_moments_into(workspace& on, const any_vector& x, std::int64_t* words);
}  // namespace detail

/// results[i] = the state of row i as `what`, when the stream reaches it, rounded once: dot, sum, asum and
/// sum_of_squares its value, nrm2 its root (NaN for a negative sum), mean the quotient by the count (NaN for 0);
/// variance and stddev of moments, whose nrm2 and sum_of_squares are those of Σx². The bits are those of
/// accumulator and moments. `type`: any floating-point type; of sums of integers int64 and uint64, too.
///
/// A row whose words are no state gives NaN, in an integer type 0, and workspace::check() throws errc::headroom
/// (more than 2^31 − 1 states, a sum beyond 2^63 largest products) or errc::bad_option (words that no sum of states
/// has). Errors: as exactdot::cuda::reduce; errc::bad_option also for results that overlap the words, a variance of
/// accumulators, a mode or type that the reduction does not have. The words are not changed. One launch, a warp a
/// row.
inline void round(workspace& on, const state_rows& states, reduction what, element_type type, void* results,
                  const finish_options& options = {}) {
  detail::round(on, states, what, type, results, options);
}
template <element R>
void round(workspace& on, const state_rows& states, reduction what, R* results,
           const finish_options& options = {}) {
  detail::round(on, states, what, type_of<R>, results, options);
}

/// Row i of `states` += row i of `others`, when the stream reaches it: canonical words of one state, so merges may
/// follow each other without end. Both may be sums of states, of 2^31 − 1 states together. Rows that are no states,
/// or whose sum has no headroom, stay as they are, and workspace::check() throws. Errors: as round;
/// errc::size_mismatch unless both have as many rows of the same kind and type.
inline void merge(workspace& on, const state_rows& states, const state_rows& others) {
  if (others.rows != states.rows || others.of_moments != states.of_moments ||
      others.word_count() != states.word_count()) {
    throw error(errc::size_mismatch, "cuda: the states to merge differ in their number, type or kind");
  }
  if (others.words == nullptr && others.rows != 0)
    throw error(errc::null_pointer, "cuda: the other words are null");
  detail::merge(on, states, others.words, others.stride == 0 ? others.word_count() : others.stride);
}

/// The words of every row become canonical, those of one state: what accumulator::words() returns. Errors: as
/// merge.
inline void normalise(workspace& on, const state_rows& states) { detail::merge(on, states, nullptr, 0); }

/// Adds the count, Σ xᵢ and Σ xᵢ² to the words of moments of x's type (moments<T>::word_count of them, zero at
/// first). Errors as dot_into. Cost: both sums read x.
inline void moments_into(workspace& on, const any_vector& x, std::int64_t* words) {
  detail::add_moments_into(on, x, words);
}
template <element T>
void moments_into(workspace& on, const T* x, std::size_t n, std::int64_t* words) {
  detail::add_moments_into(on, to_any(x, n), words);
}

}  // namespace exactdot::cuda
