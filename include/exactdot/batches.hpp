// SPDX-License-Identifier: Apache-2.0
// Reductions of many vectors in one call: sum(rows{a, m, n}, out), dot(rows{a, m, n}, repeated{x, n}, y),
// mean(groups{x, keys, count}, out), ….
//
// Every result has the bits of the same call on its elements alone, in both modes. `out`: a contiguous range of the
// result type, as long as there are results, or of groups added_to{range}, whose values are terms, too; it must not
// share memory with the inputs. Its element type is the type
// to which results are rounded: any that the vector call allows as R. Arrays and results lie in host memory or,
// in programs that link exactdot::cuda, all in a GPU's (docs/shapes.md).
//
// Errors: those of the vector calls; errc::size_mismatch if lengths differ; errc::empty_input for min and max of
// vectors without elements, unless there is no vector: then there is nothing to do. Nothing is written unless the call
// succeeds, except after errc::cancelled, and to results that any_results::is_scratch names. Cost: that of reading every
// element once; of short rows some ten nanoseconds each (docs/shapes.md).
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/reductions.hpp>
#include <exactdot/shapes.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
/// Any reduction of many vectors. b: ignored for a reduction of one input. caller: the name with which errors
/// begin, or null for the reduction's.
void reduce_grid(reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                 const options& options, std::int64_t ddof = 0, const char* caller = nullptr);
void reduce_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                     const any_results& out, const options& options, std::int64_t ddof = 0,
                     const char* caller = nullptr);
/// The grids have the keys' length as elements, along one axis. Their axes of results, if there are any, are those
/// of `out` after the first, which is that of the groups.
void reduce_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                   const any_results& out, const options& options, std::int64_t ddof = 0,
                   const char* caller = nullptr);
void group_sizes(const any_keys& keys, const any_results& out, const options& options, const char* caller);
/// The greatest key plus 1, or 0 without a key of at least 0: the least number of groups that has every such key.
/// `groups` is not read. Throws errc::bad_option for more than 2^20 and 16 for each key.
std::size_t groups_of_keys(const any_keys& keys, const options& options, const char* caller);

/// A vector as a grid of one result.
struct element_line {
  any_vector x;
  axis elements;

  explicit element_line(const any_vector& of) : x(of), elements{of.n, of.stride} {}
  [[nodiscard]] any_grid view() const { return {x.data, x.type, {}, {&elements, 1}, x.swapped, x.conjugated}; }
};

/// A contiguous range of results.
struct result_line {
  void* data;
  element_type type;
  axis results;
  bool adds;

  template <result_range Out>
  explicit result_line(Out&& out)
      : data(std::ranges::data(out)),
        type(number_type_of<std::ranges::range_value_t<Out>>),
        results{std::ranges::size(out), sizeof(std::ranges::range_value_t<Out>)},
        adds(is_added_to<std::remove_cvref_t<Out>>) {}
  [[nodiscard]] any_results view() const { return {data, type, {&results, 1}, false, false, adds}; }
};

template <class X, class Offset>
any_offsets to_offsets(const segments<X, Offset>& x) {
  return {x.offsets.data(), x.offsets.empty() ? 0 : x.offsets.size() - 1, type_of<Offset>, sizeof(Offset)};
}

template <class Key>
any_keys to_keys(std::span<const Key> keys, std::size_t groups, bool skips_out_of_range) {
  return {keys.data(), keys.size(), type_of<Key>, sizeof(Key), groups, skips_out_of_range};
}
template <class X, class Key>
any_keys to_keys(const groups<X, Key>& x) {
  return to_keys(x.keys, x.count, x.skips_out_of_range);
}

/// The elements of a range of results.
template <class Out>
using result_of = std::ranges::range_value_t<Out>;

/// The element type of rows, columns, a repeated vector, segments, groups or a view.
template <class X>
struct value_of {
  using type = typename X::value_type;
};
template <class X>
requires contiguous_view<X> || complex_view<X>
struct value_of<X> {
  using type = element_of<X>;
};

/// A vector of elements or of complex numbers.
template <number_view X>
any_vector to_numbers(const X& x) {
  if constexpr (complex_view<X>) {
    return {std::ranges::data(x), std::ranges::size(x), number_type_of<element_of<X>>, sizeof(element_of<X>)};
  } else {
    return to_any(x);
  }
}

template <class A, class B, class Out>
constexpr void check_dot_of_many() {
  using first = typename value_of<A>::type;
  using second = typename value_of<B>::type;
  if constexpr (complex_number<first> || complex_number<second>) {
    [[maybe_unused]] constexpr bool checked = check_complex_result<reduction::dot, result_of<Out>>();
  } else {
    [[maybe_unused]] constexpr bool checked =
        check_factors<first, second>() && check_result<reduction::dot, result_of<Out>, first, second>();
  }
}

/// Of missing.hpp: the results of a shape of which some elements are not there, or of such a shape and y.
template <bool conjugates, class X, class Y>
void kept_results(reduction what, const X& x, const Y& y, const any_results& out, const options& options,
                  std::int64_t ddof);

/// Any reduction, known at run time.
template <reducible_vectors View, result_range Out>
void reduce_many(reduction what, const View& x, Out&& out, const options& options, std::int64_t ddof = 0) {
  const result_line to(out);
  if constexpr (is_kept<View>) {
    kept_results<false>(what, x, alone{}, to.view(), options, ddof);
  } else if constexpr (is_segments<View>) {
    const any_vector of = to_numbers(x.x);
    reduce_segments(what, of, of, to_offsets(x), to.view(), options, ddof);
  } else if constexpr (is_groups<View>) {
    const element_line line(to_numbers(x.x));
    reduce_groups(what, line.view(), line.view(), to_keys(x), to.view(), options, ddof);
  } else {
    const line_grid lines = to_lines(x);
    reduce_grid(what, lines.view(), lines.view(), to.view(), options, ddof);
  }
}
template <reduction what, reducible_vectors View, result_range Out>
void reduce_many(const View& x, Out&& out, const options& options, std::int64_t ddof = 0) {
  if constexpr (complex_number<typename View::value_type>) {
    [[maybe_unused]] constexpr bool checked = check_complex_result<what, result_of<Out>>();
  } else {
    [[maybe_unused]] constexpr bool checked = check_result<what, result_of<Out>, typename View::value_type>();
  }
  reduce_many(what, x, out, options, ddof);
}
}  // namespace detail

namespace detail {
/// The dot products of rows, columns, segments or groups and their partner. conjugates: of complex numbers the first
/// factors.
template <bool conjugates, class A, class B, result_range Out>
void multiply_many(const A& a, const B& b, Out&& out, const options& options) {
  check_dot_of_many<A, B, Out>();
  constexpr const char* caller = conjugates ? "vdot" : "dot";
  const result_line to(out);
  const auto factor = [](const auto& x) {
    any_vector first = to_numbers(x);
    first.conjugated = conjugates;
    return first;
  };
  if constexpr (is_segments<A>) {
    reduce_segments(reduction::dot, factor(a.x), to_numbers(b), to_offsets(a), to.view(), options, 0, caller);
  } else if constexpr (is_groups<A>) {
    const element_line first(factor(a.x)), second(to_numbers(b));
    reduce_groups(reduction::dot, first.view(), second.view(), to_keys(a), to.view(), options, 0, caller);
  } else {
    const auto multiply = [&](const line_grid& first, const line_grid& second) {
      any_grid view = first.view();
      view.conjugated = conjugates;
      reduce_grid(reduction::dot, view, second.view(), to.view(), options, 0, caller);
    };
    if constexpr (is_repeated<A>) {
      const line_grid second = to_lines(b);
      multiply(to_lines(a, second.results.n), second);
    } else if constexpr (is_repeated<B>) {
      const line_grid first = to_lines(a);
      multiply(first, to_lines(b, first.results.n));
    } else {
      multiply(to_lines(a), to_lines(b));
    }
  }
}

/// Two shapes that multiply_many takes.
template <class A, class B>
concept factors_of_many =
    !is_kept<A> && (matrix_view<A> || matrix_view<B> || ((is_segments<A> || is_groups<A>)&&number_view<B>));
}  // namespace detail

/// out[i] = the dot product of the i-th vectors of a and b. One of them may be `repeated`: rows times it is a
/// matrix-vector product. Or of the segments of a and the stretches of b at the same offsets; or of the groups of a and
/// the elements of b in the same places, of floating-point types in mode exact only.
template <class A, class B, result_range Out>
requires detail::factors_of_many<A, B>
void dot(const A& a, const B& b, Out&& out, const options& options = {}) {
  detail::multiply_many<false>(a, b, out, options);
}

/// The same of a shape of which some elements are not there (missing.hpp).
template <class A, class B, result_range Out>
requires detail::is_kept_shape<A>
void dot(const A& a, const B& b, Out&& out, const options& options = {}) {
  detail::check_dot_of_many<A, B, Out>();
  detail::kept_results<false>(reduction::dot, a, b, detail::result_line(out).view(), options, 0);
}

/// out[i] = how many keys are i: the number of elements of each group. Element type of `out`: std::int64_t or
/// std::uint64_t. Keys out of range are errc::bad_option, or skipped. Cost: that of reading the keys.
template <class Keys, result_range Out>
void group_sizes(const Keys& keys, std::size_t count, Out&& out, const options& options = {},
                 bool skips_out_of_range = false) {
  const std::span<const std::ranges::range_value_t<Keys>> all(keys);
  detail::group_sizes(detail::to_keys(all, count, skips_out_of_range), detail::result_line(out).view(), options,
                      "group_sizes");
}

/// out[i] = the sum of the i-th vector; likewise for the other reductions, which are documented with the vector
/// calls.
template <reducible_vectors View, result_range Out>
void sum(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::sum>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void asum(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::asum>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void sum_of_squares(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::sum_of_squares>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void nrm2(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::nrm2>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void mean(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::mean>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void variance(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::variance>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void variance(const View& x, Out&& out, ddof_number ddof, const options& options = {}) {
  detail::reduce_many<reduction::variance>(x, out, options, ddof);
}
template <reducible_vectors View, result_range Out>
void stddev(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::stddev>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void stddev(const View& x, Out&& out, ddof_number ddof, const options& options = {}) {
  detail::reduce_many<reduction::stddev>(x, out, options, ddof);
}
/// The element type of `out` is that of x.
template <reducible_vectors View, result_range Out>
void min(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::min>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void max(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::max>(x, out, options);
}
/// Indices within each vector; the element type of `out` is std::int64_t or std::uint64_t.
template <reducible_vectors View, result_range Out>
void argmin(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::argmin>(x, out, options);
}
template <reducible_vectors View, result_range Out>
void argmax(const View& x, Out&& out, const options& options = {}) {
  detail::reduce_many<reduction::argmax>(x, out, options);
}

/// Any reduction of arrays of any number of dimensions whose types are known at run time only; those of two inputs take a
/// and b.
inline void reduce(reduction what, const any_grid& x, const any_results& out, const options& options = {},
                   ddof_number ddof = 0) {
  detail::require_one_input(what);
  detail::reduce_grid(what, x, x, out, options, ddof);
}
inline void reduce(reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  detail::require_two_inputs(what);
  detail::reduce_grid(what, a, b, out, options, ddof);
}
inline void dot(const any_grid& a, const any_grid& b, const any_results& out, const options& options = {}) {
  reduce(reduction::dot, a, b, out, options);
}
/// The same of segments of a vector, and of the same stretches of another one.
inline void reduce(reduction what, const any_vector& x, const any_offsets& offsets, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  detail::require_one_input(what);
  detail::reduce_segments(what, x, x, offsets, out, options, ddof);
}
inline void reduce(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                   const any_results& out, const options& options = {}, ddof_number ddof = 0) {
  detail::require_two_inputs(what);
  detail::reduce_segments(what, a, b, offsets, out, options, ddof);
}
inline void dot(const any_vector& a, const any_vector& b, const any_offsets& offsets, const any_results& out,
                const options& options = {}) {
  reduce(reduction::dot, a, b, offsets, out, options);
}

/// The same of groups of a vector's elements, or of every vector along the axes `results` of a grid with one axis
/// of elements: the results' first axis is that of the groups, the others those of the grid.
inline void reduce(reduction what, const any_grid& x, const any_keys& keys, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  detail::require_one_input(what);
  detail::reduce_groups(what, x, x, keys, out, options, ddof);
}
inline void reduce(reduction what, const any_vector& x, const any_keys& keys, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  reduce(what, detail::element_line(x).view(), keys, out, options, ddof);
}
/// A grid whose stride along every axis of results is 0 weights the rows of the other.
inline void reduce(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys, const any_results& out,
                   const options& options = {}, ddof_number ddof = 0) {
  detail::require_two_inputs(what);
  detail::reduce_groups(what, a, b, keys, out, options, ddof);
}
inline void reduce(reduction what, const any_vector& a, const any_vector& b, const any_keys& keys,
                   const any_results& out, const options& options = {}, ddof_number ddof = 0) {
  reduce(what, detail::element_line(a).view(), detail::element_line(b).view(), keys, out, options, ddof);
}
inline void dot(const any_grid& a, const any_grid& b, const any_keys& keys, const any_results& out,
                const options& options = {}) {
  reduce(reduction::dot, a, b, keys, out, options);
}
inline void dot(const any_vector& a, const any_vector& b, const any_keys& keys, const any_results& out,
                const options& options = {}) {
  reduce(reduction::dot, a, b, keys, out, options);
}
inline void group_sizes(const any_keys& keys, const any_results& out, const options& options = {}) {
  detail::group_sizes(keys, out, options, "group_sizes");
}

}  // namespace exactdot::inline v0_3
