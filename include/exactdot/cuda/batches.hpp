// SPDX-License-Identifier: Apache-2.0
// Reductions of many vectors in a GPU's memory in one call, ordered by a stream: the rows or columns of a matrix, a
// matrix times a vector, segments of a vector, groups of elements by keys.
//
// Every result has the bits of the vector call. Arrays and results lie in the memory of the workspace's device, or
// in managed memory; calls allocate no device memory (but the first ones on groups) and do not wait, so they can be
// captured in a graph. The same arrays are accepted by exactdot::sum(rows{…}, out) and its like
// (exactdot/batches.hpp), which wait.
//
// Sums, norms and means in both modes; variances; min, max, argmin and argmax. All else is refused with
// errc::bad_option. An integer result that does not fit is 0, that of a segment whose offsets are wrong NaN or 0,
// and workspace::check() throws. Speed is that of reading if elements are float or double and follow each other, or
// columns do; other strides take up to 8 times as long (docs/shapes.md).
#pragma once

#include <exactdot/batches.hpp>
#include <exactdot/cuda.hpp>

namespace exactdot::inline v0_3::cuda {

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
/// exactdot::reduce of an any_grid, of exactdot::cuda::reduce of a vector, and errc::bad_option for what GPUs do
/// not compute (docs/shapes.md). One launch; two of long rows and of few long columns; of few very long rows, one
/// each.
inline void reduce(workspace& on, reduction what, const any_grid& x, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  exactdot::detail::require_one_input(what);
  detail::enqueue_grid(on, what, x, x, out, options, ddof);
}
inline void dot(workspace& on, const any_grid& a, const any_grid& b, const any_results& out,
                const options& options = {}) {
  detail::enqueue_grid(on, reduction::dot, a, b, out, options);
}

/// The same of segments of a vector, and for dot of the same stretches of another one. Offsets in device memory
/// too, of 32 or 64 bits; they are not read on the host. One to three launches.
inline void reduce(workspace& on, reduction what, const any_vector& x, const any_offsets& offsets,
                   const any_results& out, const options& options = {}, ddof_number ddof = 0) {
  exactdot::detail::require_one_input(what);
  detail::enqueue_segments(on, what, x, x, offsets, out, options, ddof);
}
inline void dot(workspace& on, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                const any_results& out, const options& options = {}) {
  detail::enqueue_segments(on, reduction::dot, a, b, offsets, out, options);
}

/// out[i] = the reduction of the i-th row or column; as many as there are, in device memory. R: the type to which
/// results are rounded.
template <exactdot::detail::matrix_view View, element R>
void reduce(workspace& on, reduction what, const View& x, R* out, const options& options = {},
            ddof_number ddof = 0) {
  const exactdot::detail::line_grid lines = exactdot::detail::to_lines(x);
  reduce(on, what, lines.view(), detail::result_axis<R>(out, lines.results.n).view(), options, ddof);
}

/// The same of the i-th segment: reduce(workspace, reduction::mean, segments{x, offsets}, out).
template <class X, class Offset, element R>
void reduce(workspace& on, reduction what, const segments<X, Offset>& x, R* out, const options& options = {},
            ddof_number ddof = 0) {
  const any_offsets offsets = exactdot::detail::to_offsets(x);
  reduce(on, what, to_any(x.x), offsets, detail::result_axis<R>(out, offsets.count).view(), options, ddof);
}
template <class X, class Offset, vector_view B, element R>
void dot(workspace& on, const segments<X, Offset>& a, const B& b, R* out, const options& options = {}) {
  const any_offsets offsets = exactdot::detail::to_offsets(a);
  dot(on, to_any(a.x), to_any(b), offsets, detail::result_axis<R>(out, offsets.count).view(), options);
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

/// out[i] = the reduction of the elements whose key is i, for as many groups as the view has, in device memory; see
/// docs/shapes.md. Mode exact only, but for integers and extrema.
///
/// A key out of range, an empty group under min or max (whose result is NaN or 0) and an integer result that does
/// not fit (0) are left to workspace::check(); elements with a bad key belong to no group. The workspace allocates
/// memory for a table of 28 to 92 bytes a group and for exact states, and keeps it; so a call that is captured in a
/// graph must have been made once before (errc::bad_option).
template <class X, class Key, element R>
void reduce(workspace& on, reduction what, const groups<X, Key>& x, R* out, const options& options = {},
            ddof_number ddof = 0) {
  exactdot::detail::require_one_input(what);
  const exactdot::detail::element_line line(to_any(x.x));
  detail::enqueue_groups(on, what, line.view(), line.view(), exactdot::detail::to_keys(x),
                         detail::result_axis<R>(out, x.count).view(), options, ddof);
}
/// The same for the dot products of the groups of a and the elements of b in the same places.
template <class X, class Key, vector_view B, element R>
void dot(workspace& on, const groups<X, Key>& a, const B& b, R* out, const options& options = {}) {
  const exactdot::detail::element_line first(to_any(a.x)), second(to_any(b));
  detail::enqueue_groups(on, reduction::dot, first.view(), second.view(), exactdot::detail::to_keys(a),
                         detail::result_axis<R>(out, a.count).view(), options);
}
/// out[i] = how many keys are i. The keys and `out` lie in device memory.
template <integer_element Key, element R>
void group_sizes(workspace& on, std::span<const Key> keys, std::size_t count, R* out,
                 bool skips_out_of_range = false) {
  detail::enqueue_group_sizes(on, exactdot::detail::to_keys(keys, count, skips_out_of_range),
                              detail::result_axis<R>(out, count).view());
}

}  // namespace exactdot::inline v0_3::cuda
