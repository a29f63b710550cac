// SPDX-License-Identifier: Apache-2.0
// States of rows, columns, segments or groups: exact sums as int64 words that merge by addition, so that shards of
// the data can be summed in any place and any order, and give the bits of the whole.
//
//   sum_into(rows{a, m, n}, words);        // m states, one after the other, are added to what `words` hold
//   for (…) words[i] += other_words[i];    // or MPI_SUM, NCCL, a database's SUM, merge_states, which checks
//   round_states({reduction::sum, type_of<float>}, words, out);
//
// `words` is memory of the caller: as many int64 as there are results times state_format::words(). All zero is an
// empty state, so std::fill clears. Every call adds one state to each of them; up to 2^31 − 1 may be merged, which
// normalise_states makes one again. Words that were zero are the canonical words of the accumulator of the same
// elements, in the compact form a range of them (state_format.hpp), whatever the shape and the threads.
//
// Errors: those of the calls with results (batches.hpp), in mode exact; errc::size_mismatch if `words` has another
// length; errc::bad_option for min and its like, a dot product of two element types, and words that are no states;
// errc::headroom for too many states or elements. Nothing is written unless a call succeeds, except after
// errc::cancelled, when some states have been added and others not. Arrays and words of the calls that add lie in host
// memory or, in a program that links exactdot::cuda, all in a GPU's, where the words are not checked. Cost: that of
// exact states (docs/shapes.md), and that of reading and writing the words.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/batches.hpp>
#include <exactdot/state_format.hpp>
#include <span>

namespace exactdot::inline v0_3 {

/// The words of states, which need not all belong to one object.
using state_span = std::span<std::int64_t>;
using const_state_span = std::span<const std::int64_t>;

namespace detail {
void add_grid_states(const state_format& of, const any_grid& a, const any_grid& b, state_span words,
                     const options& options, const char* caller);
void add_segment_states(const state_format& of, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, state_span words, const options& options, const char* caller);
void add_group_states(const state_format& of, const any_grid& a, const any_grid& b, const any_keys& keys,
                      state_span words, const options& options, const char* caller);
void merge_states(const state_format& of, const_state_span from, state_span into, const char* caller);
void normalise_states(const state_format& of, state_span words, const char* caller);
void convert_states(const state_format& of, const_state_span from, state_form form, state_span to,
                    const char* caller);
void round_states(const state_format& of, reduction finish, const_state_span words, const any_results& out,
                  std::int64_t ddof, const char* caller);

template <many_vectors View>
void add_states(reduction what, const View& x, state_span words, state_form form, const options& options,
                const char* caller) {
  const state_format of{what, type_of<typename View::value_type>, form};
  if constexpr (is_segments<View>) {
    add_segment_states(of, to_any(x.x), to_any(x.x), to_offsets(x), words, options, caller);
  } else if constexpr (is_groups<View>) {
    const element_line line(to_any(x.x));
    add_group_states(of, line.view(), line.view(), to_keys(x), words, options, caller);
  } else {
    const line_grid lines = to_lines(x);
    add_grid_states(of, lines.view(), lines.view(), words, options, caller);
  }
}
}  // namespace detail

/// words += the states of Σ xᵢ of each row, column, segment or group.
template <many_vectors View>
void sum_into(const View& x, state_span words, state_form form = state_form::full, const options& options = {}) {
  detail::add_states(reduction::sum, x, words, form, options, "sum_into");
}
/// The same of Σ |xᵢ|.
template <many_vectors View>
void asum_into(const View& x, state_span words, state_form form = state_form::full, const options& options = {}) {
  detail::add_states(reduction::asum, x, words, form, options, "asum_into");
}
/// The same of Σ xᵢ², whose root is the norm.
template <many_vectors View>
void sum_of_squares_into(const View& x, state_span words, state_form form = state_form::full,
                         const options& options = {}) {
  detail::add_states(reduction::sum_of_squares, x, words, form, options, "sum_of_squares_into");
}
/// The same of the number of elements and Σ xᵢ: states of reduction::mean.
template <many_vectors View>
void mean_into(const View& x, state_span words, state_form form = state_form::full, const options& options = {}) {
  detail::add_states(reduction::mean, x, words, form, options, "mean_into");
}
/// The same of the number of elements, Σ xᵢ and Σ xᵢ²: states of reduction::variance, which have means and norms
/// too.
template <many_vectors View>
void moments_into(const View& x, state_span words, state_form form = state_form::full,
                  const options& options = {}) {
  detail::add_states(reduction::variance, x, words, form, options, "moments_into");
}

/// The same of Σ aᵢ·bᵢ of the rows or columns of a and b, which have one element type; one of them may be repeated.
template <class A, class B>
requires(detail::matrix_view<A> || detail::matrix_view<B>) void dot_into(const A& a, const B& b, state_span words,
                                                                         state_form form = state_form::full,
                                                                         const options& options = {}) {
  const state_format of{reduction::dot, type_of<typename A::value_type>, form};
  const auto add = [&](const detail::line_grid& first, const detail::line_grid& second) {
    detail::add_grid_states(of, first.view(), second.view(), words, options, "dot_into");
  };
  if constexpr (detail::is_repeated<A>) {
    const detail::line_grid second = detail::to_lines(b);
    add(detail::to_lines(a, second.results.n), second);
  } else if constexpr (detail::is_repeated<B>) {
    const detail::line_grid first = detail::to_lines(a);
    add(first, detail::to_lines(b, first.results.n));
  } else {
    add(detail::to_lines(a), detail::to_lines(b));
  }
}
/// Of the segments of a and the stretches of b at the same offsets.
template <class X, class Offset, vector_view B>
void dot_into(const segments<X, Offset>& a, const B& b, state_span words, state_form form = state_form::full,
              const options& options = {}) {
  const state_format of{reduction::dot, type_of<typename segments<X, Offset>::value_type>, form};
  detail::add_segment_states(of, to_any(a.x), to_any(b), detail::to_offsets(a), words, options, "dot_into");
}
/// Of the groups of a and the elements of b in the same places.
template <class X, class Key, vector_view B>
void dot_into(const groups<X, Key>& a, const B& b, state_span words, state_form form = state_form::full,
              const options& options = {}) {
  const state_format of{reduction::dot, type_of<typename groups<X, Key>::value_type>, form};
  const detail::element_line first(to_any(a.x)), second(to_any(b));
  detail::add_group_states(of, first.view(), second.view(), detail::to_keys(a), words, options, "dot_into");
}

/// Any reduction that has states, of arrays whose types are known at run time only. States follow each other in the
/// order of the axes of results, the last one fastest; of groups the axis of the groups comes first.
inline void reduce_into(reduction what, const any_grid& x, state_span words, state_form form = state_form::full,
                        const options& options = {}) {
  detail::require_one_input(what);
  detail::add_grid_states({what, x.type, form}, x, x, words, options, "reduce_into");
}
inline void reduce_into(reduction what, const any_vector& x, const any_offsets& offsets, state_span words,
                        state_form form = state_form::full, const options& options = {}) {
  detail::require_one_input(what);
  detail::add_segment_states({what, x.type, form}, x, x, offsets, words, options, "reduce_into");
}
inline void reduce_into(reduction what, const any_grid& x, const any_keys& keys, state_span words,
                        state_form form = state_form::full, const options& options = {}) {
  detail::require_one_input(what);
  detail::add_group_states({what, x.type, form}, x, x, keys, words, options, "reduce_into");
}
inline void dot_into(const any_grid& a, const any_grid& b, state_span words, state_form form = state_form::full,
                     const options& options = {}) {
  detail::add_grid_states({reduction::dot, a.type, form}, a, b, words, options, "dot_into");
}
inline void dot_into(const any_vector& a, const any_vector& b, const any_offsets& offsets, state_span words,
                     state_form form = state_form::full, const options& options = {}) {
  detail::add_segment_states({reduction::dot, a.type, form}, a, b, offsets, words, options, "dot_into");
}
inline void dot_into(const any_grid& a, const any_grid& b, const any_keys& keys, state_span words,
                     state_form form = state_form::full, const options& options = {}) {
  detail::add_group_states({reduction::dot, a.type, form}, a, b, keys, words, options, "dot_into");
}

/// into[i] += from[i], after checking that both are states and that the sum is: errc::size_mismatch,
/// errc::bad_option, errc::headroom. Both may be the same words, but must not overlap otherwise.
inline void merge_states(const state_format& of, const_state_span from, state_span into) {
  detail::merge_states(of, from, into, "merge_states");
}

/// Makes every state the canonical one of its sum, which counts as one state: equal for equal finite sums and
/// counts. Throws errc::headroom, and changes nothing, if a sum passes 2^63 largest terms.
inline void normalise_states(const state_format& of, state_span words) {
  detail::normalise_states(of, words, "normalise_states");
}

/// to = the canonical states of the same sums in another form. Throws errc::bad_option if a sum does not fit into
/// the compact form: it is none of such terms.
inline void convert_states(const state_format& of, const_state_span from, state_form form, state_span to) {
  detail::convert_states(of, from, form, to, "convert_states");
}

/// out[i] = the result of state i, rounded once: the bits of the call on all elements that were added to it.
///
/// finish: what the states hold: of.what itself; of sums of squares and norms also the other; of means also sum; of
/// variances also stddev, mean, sum, sum_of_squares and nrm2. Result types as of the vector call. Throws
/// errc::overflow if an integer type does not hold a result. Memory: 8 bytes a state.
template <result_range Out>
void round_states(const state_format& of, reduction finish, const_state_span words, Out&& out,
                  ddof_number ddof = 0) {
  detail::round_states(of, finish, words, detail::result_line(out).view(), ddof, "round_states");
}
template <result_range Out>
void round_states(const state_format& of, const_state_span words, Out&& out, ddof_number ddof = 0) {
  round_states(of, of.what, words, out, ddof);
}
/// Results of a type that is known at run time only, along one axis.
inline void round_states(const state_format& of, reduction finish, const_state_span words, const any_results& out,
                         ddof_number ddof = 0) {
  detail::round_states(of, finish, words, out, ddof, "round_states");
}

}  // namespace exactdot::inline v0_3
