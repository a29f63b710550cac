// SPDX-License-Identifier: Apache-2.0
// Reductions of many vectors in a GPU's memory in one call, ordered by a stream: the rows of a matrix, a matrix
// times a vector.
//
// Every result has the bits of the vector call. Arrays and results lie in the memory of the workspace's device, or
// in managed memory; calls allocate no device memory and do not wait, so they can be captured in a graph. The same
// arrays are accepted by exactdot::sum(rows{…}, out) and its like (exactdot/batches.hpp), which wait.
//
// So far: mode exact; dot, sum, asum, sum_of_squares, nrm2 and mean. All else is refused with errc::bad_option. An
// integer result that does not fit is 0, and workspace::check() throws. Speed is that of reading if elements are
// float or double and follow each other, or columns do; other strides take up to 8 times as long (docs/shapes.md).
#pragma once

#include <exactdot/batches.hpp>
#include <exactdot/cuda.hpp>

namespace exactdot::cuda {

namespace detail {
void enqueue_grid(workspace& on, reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                  const options& options, std::int64_t ddof = 0);
void enqueue_segments(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                      const any_offsets& offsets, const any_results& out, const options& options,
                      std::int64_t ddof = 0);
void enqueue_groups(workspace& on, reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                    const any_results& out, const options& options, std::int64_t ddof = 0);
void enqueue_group_sizes(workspace& on, const any_keys& keys, const any_results& out);

/// Results that follow each other.
template <class R>
struct result_axis {
  axis results;
  R* data;
  result_axis(R* first, std::size_t count) : results{count, sizeof(R)}, data(first) {}
  [[nodiscard]] any_results view() const { return {data, type_of<R>, {&results, 1}, false}; }
};
}  // namespace detail

/// Any reduction of arrays of any number of dimensions, when the stream reaches it. Errors: those of
/// exactdot::reduce of an any_grid, of exactdot::cuda::reduce of a vector, and errc::bad_option for what is not
/// there yet. One launch; of few very long rows, one each.
inline void reduce(workspace& on, reduction what, const any_grid& x, const any_results& out,
                   const options& options = {}, std::int64_t ddof = 0) {
  exactdot::detail::require_one_input(what);
  detail::enqueue_grid(on, what, x, x, out, options, ddof);
}
inline void dot(workspace& on, const any_grid& a, const any_grid& b, const any_results& out,
                const options& options = {}) {
  detail::enqueue_grid(on, reduction::dot, a, b, out, options);
}

/// out[i] = the reduction of the i-th row or column; as many as there are, in device memory. R: the type to which
/// results are rounded.
template <exactdot::detail::matrix_view View, element R>
void reduce(workspace& on, reduction what, const View& x, R* out, const options& options = {}) {
  const exactdot::detail::line_grid lines = exactdot::detail::to_lines(x);
  reduce(on, what, lines.view(), detail::result_axis<R>(out, lines.results.n).view(), options);
}

/// out[i] = the dot product of the i-th vectors of a and b. One of them may be `repeated`: rows times it is a
/// matrix-vector product.
template <class A, class B, element R>
requires(exactdot::detail::matrix_view<A> ||
         exactdot::detail::matrix_view<B>) void dot(workspace& on, const A& a, const B& b, R* out,
                                                    const options& options = {}) {
  const auto enqueue = [&](const exactdot::detail::line_grid& first, const exactdot::detail::line_grid& second) {
    const detail::result_axis<R> to(out, first.results.n);
    dot(on, first.view(), second.view(), to.view(), options);
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
