// SPDX-License-Identifier: Apache-2.0
// States of the rows or columns of arrays in a GPU's memory (exactdot/states.hpp), ordered by a stream: to be
// summed by NCCL or MPI, or merged and rounded on a CPU.
//
// Sums of finite terms have the words of the CPU's; of others the counts of NaN and infinities, which alone
// determine the result, are the CPU's, and the limbs may differ. Arrays and words lie in the memory of the
// workspace's device, or in managed memory. `words`: as many int64 as there are results times
// state_format::words(), all zero at first; they are not checked, and at most 2^30 calls may add to them. Calls
// allocate no device memory and do not wait, so they can be captured in a graph. Errors: those of
// exactdot::cuda::dot of rows. One launch, of moments two.
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/states.hpp>

namespace exactdot::cuda {

namespace detail {
void add_grid_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                     std::int64_t* words);
}

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

}  // namespace exactdot::cuda
