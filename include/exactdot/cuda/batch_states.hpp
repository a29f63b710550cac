// SPDX-License-Identifier: Apache-2.0
// States of arrays in a GPU's memory (exactdot/states.hpp), ordered by a stream: of rows, columns, segments and
// groups, to be summed by NCCL or MPI, or merged and rounded on a CPU.
//
// Sums of finite terms have the words of the CPU's; of others the counts of NaN and infinities, which alone
// determine the result, are the CPU's, and the limbs may differ. Arrays and words lie in the memory of the
// workspace's device, or in managed memory. `words`: as many int64 as there are results times
// state_format::words(), all zero at first; they are not checked, and at most 2^30 calls may add to them. Calls do
// not wait and, but for those of groups, allocate no device memory, so they can be captured in a graph. Errors:
// those of exactdot::cuda::dot of the same shape.
//
// Launches: of rows and columns one, of segments one or two; of moments twice as many. Nothing is added to a
// segment whose offsets are wrong, nor of an element whose key is out of range; workspace::check() throws, and
// names the first. exactdot::sum_into and its like take the same arrays, and wait.
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/states.hpp>

namespace exactdot::inline v0_3::cuda {

namespace detail {
void add_grid_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                     std::int64_t* words);
void add_segment_states(workspace& on, const state_format& of, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, std::int64_t* words);
void add_group_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                      const any_keys& keys, std::int64_t* words);
}  // namespace detail

/// words += the states of every result, when the stream reaches it. Reductions as of exactdot::reduce_into.
inline void reduce_into(workspace& on, reduction what, const any_grid& x, std::int64_t* words,
                        state_form form = state_form::full) {
  exactdot::detail::require_one_input(what);
  detail::add_grid_states(on, {what, x.type, form}, x, x, words);
}
inline void dot_into(workspace& on, const any_grid& a, const any_grid& b, std::int64_t* words,
                     state_form form = state_form::full) {
  detail::add_grid_states(on, {reduction::dot, a.type, form}, a, b, words);
}

/// The same of the rows or columns of a matrix.
template <exactdot::detail::matrix_view View>
void reduce_into(workspace& on, reduction what, const View& x, std::int64_t* words,
                 state_form form = state_form::full) {
  reduce_into(on, what, exactdot::detail::to_lines(x).view(), words, form);
}
template <class A, class B>
requires(exactdot::detail::matrix_view<A> ||
         exactdot::detail::matrix_view<B>) void dot_into(workspace& on, const A& a, const B& b, std::int64_t* words,
                                                         state_form form = state_form::full) {
  const auto enqueue = [&](const exactdot::detail::line_grid& first, const exactdot::detail::line_grid& second) {
    dot_into(on, first.view(), second.view(), words, form);
  };
  if constexpr (exactdot::detail::is_repeated<A>) {
    const auto second = exactdot::detail::to_lines(b);
    enqueue(exactdot::detail::to_lines(a, second.results.n), second);
  } else if constexpr (exactdot::detail::is_repeated<B>) {
    const auto first = exactdot::detail::to_lines(a);
    enqueue(first, exactdot::detail::to_lines(b, first.results.n));
  } else {
    enqueue(exactdot::detail::to_lines(a), exactdot::detail::to_lines(b));
  }
}

/// Of segments: offsets of 32 or 64 bits, which the host does not read.
inline void reduce_into(workspace& on, reduction what, const any_vector& x, const any_offsets& offsets,
                        std::int64_t* words, state_form form = state_form::full) {
  exactdot::detail::require_one_input(what);
  detail::add_segment_states(on, {what, x.type, form}, x, x, offsets, words);
}
inline void dot_into(workspace& on, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                     std::int64_t* words, state_form form = state_form::full) {
  detail::add_segment_states(on, {reduction::dot, a.type, form}, a, b, offsets, words);
}
template <class X, class Offset>
void reduce_into(workspace& on, reduction what, const segments<X, Offset>& x, std::int64_t* words,
                 state_form form = state_form::full) {
  reduce_into(on, what, to_any(x.x), exactdot::detail::to_offsets(x), words, form);
}
template <class X, class Offset, vector_view B>
void dot_into(workspace& on, const segments<X, Offset>& a, const B& b, std::int64_t* words,
              state_form form = state_form::full) {
  dot_into(on, to_any(a.x), to_any(b), exactdot::detail::to_offsets(a), words, form);
}

/// Of groups: states of the groups follow each other, of arrays with columns those of group 0 first. The workspace
/// allocates accumulators of the compact form, for as many groups as fit into 1/8 of the input (or 32 MiB), and
/// keeps them; so a call that is captured in a graph must have been made once before (errc::bad_option). More
/// groups read the input several times.
inline void reduce_into(workspace& on, reduction what, const any_grid& x, const any_keys& keys, std::int64_t* words,
                        state_form form = state_form::full) {
  exactdot::detail::require_one_input(what);
  detail::add_group_states(on, {what, x.type, form}, x, x, keys, words);
}
inline void dot_into(workspace& on, const any_grid& a, const any_grid& b, const any_keys& keys, std::int64_t* words,
                     state_form form = state_form::full) {
  detail::add_group_states(on, {reduction::dot, a.type, form}, a, b, keys, words);
}
template <class X, class Key>
void reduce_into(workspace& on, reduction what, const groups<X, Key>& x, std::int64_t* words,
                 state_form form = state_form::full) {
  const exactdot::detail::element_line line(to_any(x.x));
  reduce_into(on, what, line.view(), exactdot::detail::to_keys(x), words, form);
}
template <class X, class Key, vector_view B>
void dot_into(workspace& on, const groups<X, Key>& a, const B& b, std::int64_t* words,
              state_form form = state_form::full) {
  const exactdot::detail::element_line first(to_any(a.x)), second(to_any(b));
  dot_into(on, first.view(), second.view(), exactdot::detail::to_keys(a), words, form);
}

}  // namespace exactdot::inline v0_3::cuda
