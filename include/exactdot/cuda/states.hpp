// SPDX-License-Identifier: Apache-2.0
// Exact states in a GPU's memory, as words: merged and rounded there, ordered by a stream.
//
// dot_into, then an allreduce of the words as 64-bit integers (NCCL: ncclInt64, ncclSum), then round: one stream, no
// host, and the bits of one call on all data, for any number of GPUs (docs/scale.md). Calls allocate no device memory
// and do not wait, so they can be captured in a graph. States of rows: batch_states.hpp adds to them.
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/state_format.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda {

/// States in device memory, `rows` of them. The format says what their words are: {reduction::sum, type} those of
/// an accumulator, {reduction::variance, type} those of moments; all other formats and forms, too. They may be
/// elementwise sums of up to 2^31 − 1 states, as after an allreduce. Rows of zeros are empty sums.
struct state_rows {
  state_format format = {};
  std::int64_t* words = nullptr;
  std::size_t rows = 1;
  std::size_t stride = 0;  ///< words from a row to the next; 0: rows follow each other
};

/// What a result is made of, beside the states.
struct finish_options {
  std::uint64_t count = 1;  ///< mean of sums: the number of elements; states of means and variances tell it
  std::int64_t ddof = 0;    ///< variance, stddev
};

namespace detail {
void round(workspace& on, const state_rows& states, reduction what, element_type type, void* results,
           const finish_options& options);
void merge(workspace& on, const state_rows& states, const std::int64_t* others, std::size_t other_stride);
void add_moments_into(workspace& on, const any_vector& x, std::int64_t* words);
}  // namespace detail

/// results[i] = the state of row i as `what`, when the stream reaches it, rounded once. Of sums without a count dot,
/// sum, asum and sum_of_squares give the value, nrm2 its root (NaN for a negative sum), mean its quotient by
/// options.count (NaN for 0). States of means give mean and sum; those of variances variance, stddev, mean, sum, and
/// sum_of_squares and nrm2, which are those of Σx². The bits are those of accumulator, moments and round_states.
/// `type`: any floating-point type; of sums of integers int64 and uint64, too.
///
/// A row whose words are no state gives NaN, in an integer type 0, and workspace::check() throws errc::headroom
/// (more than 2^31 − 1 states, a sum beyond 2^63 largest terms) or errc::bad_option (words that no sum of states
/// has). Errors: as exactdot::cuda::reduce; errc::bad_option also for results that overlap the words, and for a
/// format, a reduction or a type that do not go together. The words are not changed. One launch, a warp a row.
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
/// errc::size_mismatch unless both have as many rows of one format.
inline void merge(workspace& on, const state_rows& states, const state_rows& others) {
  const bool is_same = others.format.type == states.format.type && others.format.form == states.format.form &&
                       others.format.words() == states.format.words();
  if (others.rows != states.rows || !is_same) {
    const auto text = [](const state_rows& of) {
      return std::to_string(of.rows) + " states of " + std::string(name_of(of.format.type)) + " with " +
             std::to_string(of.format.words()) + " words each";
    };
    throw error(errc::size_mismatch, "cuda: the states to merge differ: " + text(states) + " and " + text(others));
  }
  if (others.words == nullptr && others.rows != 0)
    throw error(errc::null_pointer, "cuda: the other words are null");
  detail::merge(on, states, others.words, others.stride == 0 ? others.format.words() : others.stride);
}

/// The words of every row become canonical, those of one state, as accumulator::words() has them. Errors: as merge.
inline void normalise(workspace& on, const state_rows& states) { detail::merge(on, states, nullptr, 0); }

/// Adds the count, Σ xᵢ and Σ xᵢ² to the words of moments of x's type (moments<T>::word_count of them, zero at
/// first), a state of {reduction::variance, type}. Errors as dot_into. Cost: both sums read x.
inline void moments_into(workspace& on, const any_vector& x, std::int64_t* words) {
  detail::add_moments_into(on, x, words);
}
template <element T>
void moments_into(workspace& on, const T* x, std::size_t n, std::int64_t* words) {
  detail::add_moments_into(on, to_any(x, n), words);
}

}  // namespace exactdot::inline v0_3::cuda
