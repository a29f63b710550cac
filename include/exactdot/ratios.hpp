// SPDX-License-Identifier: Apache-2.0
// Ratios of sums of two vectors, each the real number rounded once: weighted means, cosines, distances,
// covariances, correlations, the least-squares line; and the standard error of a mean.
//
//   double r = correlation(x, y);
//   correlation(columns{x, m, n}, columns{y, m, n}, out);        // of each column
//   weighted_mean(groups{x, keys, count}, weights, out);         // of each group
//
// Of data whose ratio is a floating-point number the result is that number: cosine(x, x) is 1, a correlation is in
// [−1, 1], and 1 or −1 of data on a line; the mean of equal elements, whatever their weights, is the element.
//
// x and y: views of equal length, as of dot; of shapes, as of dot, whose second argument is a view in the places
// of the segments' or groups' elements; of any two types. R: a floating-point type; by default that of both or
// the wider one, of integers double. Special values: the canonical NaN for a divisor of 0, such as the sum of
// the weights, and for a NaN or an infinity, but: a weighted mean is the quotient of its two sums, and a
// distance is +∞ where only one of the vectors has infinities. Results of 0 are +0. Errors: those of dot;
// errc::bad_option for mode fast, ddof < 0, and arrays in a GPU's memory. Cost: one read of both, and up to five
// sums of each stretch in the cache; of a short line some 0.3 microseconds.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/batches.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
template <reduction what, class R, class X, class Y>
[[nodiscard]] auto ratio_of_views(const X& x, const Y& y, const options& options, std::int64_t ddof = 0) {
  if constexpr (check_view<X>() && check_view<Y>()) {
    using first = element_of_view<X>;
    using second = element_of_view<Y>;
    if constexpr (check_result<what, R, first, second>()) {
      constexpr element_type by_default = default_result_type(what, type_of<first>, type_of<second>);
      using result = result_or<R, type_at<by_default>>;
      return from_word<result>(reduce_to_bits(what, to_any(x), to_any(y), type_of<result>, options, ddof));
    } else {
      return refused{};
    }
  } else {
    return refused{};
  }
}

template <reduction what, class X, class Y, class Out>
void ratios_of_shapes(const X& x, const Y& y, Out&& out, const options& options, std::int64_t ddof = 0) {
  using first = typename value_of<X>::type;
  using second = typename value_of<Y>::type;
  [[maybe_unused]] constexpr bool checked = check_result<what, result_of<Out>, first, second>();
  const result_line to(out);
  if constexpr (is_segments<X>) {
    reduce_segments(what, to_any(x.x), to_any(y), to_offsets(x), to.view(), options, ddof);
  } else if constexpr (is_groups<X>) {
    const element_line a(to_any(x.x)), b(to_any(y));
    reduce_groups(what, a.view(), b.view(), to_keys(x), to.view(), options, ddof);
  } else if constexpr (is_repeated<X>) {
    const line_grid b = to_lines(y), a = to_lines(x, b.results.n);
    reduce_grid(what, a.view(), b.view(), to.view(), options, ddof);
  } else if constexpr (is_repeated<Y>) {
    const line_grid a = to_lines(x), b = to_lines(y, a.results.n);
    reduce_grid(what, a.view(), b.view(), to.view(), options, ddof);
  } else {
    const line_grid a = to_lines(x), b = to_lines(y);
    reduce_grid(what, a.view(), b.view(), to.view(), options, ddof);
  }
}
}  // namespace detail

/// (Σ xᵢ·wᵢ)/(Σ wᵢ). Weights may be negative; the canonical NaN if their sum is 0.
template <class R = void, class X, class Weights>
[[nodiscard]] auto weighted_mean(const X& x, const Weights& weights, const options& options = {}) {
  return detail::ratio_of_views<reduction::weighted_mean, R>(x, weights, options);
}
template <class X, class Weights, result_range Out>
void weighted_mean(const X& x, const Weights& weights, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::weighted_mean>(x, weights, out, options);
}

/// (Σ xᵢ·yᵢ)/√(Σ xᵢ²·Σ yᵢ²): the cosine of the angle between x and y, from −1 to 1.
template <class R = void, class X, class Y>
[[nodiscard]] auto cosine(const X& x, const Y& y, const options& options = {}) {
  return detail::ratio_of_views<reduction::cosine, R>(x, y, options);
}
template <class X, class Y, result_range Out>
void cosine(const X& x, const Y& y, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::cosine>(x, y, out, options);
}

/// √(Σ (xᵢ − yᵢ)²): the Euclidean distance of two points. Neither differences nor squares round, over- or
/// underflow.
template <class R = void, class X, class Y>
[[nodiscard]] auto distance(const X& x, const Y& y, const options& options = {}) {
  return detail::ratio_of_views<reduction::distance, R>(x, y, options);
}
template <class X, class Y, result_range Out>
void distance(const X& x, const Y& y, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::distance>(x, y, out, options);
}

/// (n·Σ xᵢyᵢ − Σ xᵢ·Σ yᵢ)/(n·(n − ddof)). ddof: 1 (the default, as in NumPy's cov) for a sample, 0 for the
/// population, which is the default of variance.
template <class R = void, class X, class Y>
[[nodiscard]] auto covariance(const X& x, const Y& y, ddof_number ddof = 1, const options& options = {}) {
  return detail::ratio_of_views<reduction::covariance, R>(x, y, options, ddof);
}
template <class X, class Y, result_range Out>
void covariance(const X& x, const Y& y, Out&& out, ddof_number ddof = 1, const options& options = {}) {
  detail::ratios_of_shapes<reduction::covariance>(x, y, out, options, ddof);
}

/// Pearson's correlation coefficient: the covariance over the root of the product of the variances.
template <class R = void, class X, class Y>
[[nodiscard]] auto correlation(const X& x, const Y& y, const options& options = {}) {
  return detail::ratio_of_views<reduction::correlation, R>(x, y, options);
}
template <class X, class Y, result_range Out>
void correlation(const X& x, const Y& y, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::correlation>(x, y, out, options);
}

/// (n·Σ xᵢyᵢ − Σ xᵢ·Σ yᵢ)/(n·Σ xᵢ² − (Σ xᵢ)²): the slope of the line y = slope·x + intercept with the least
/// squares.
template <class R = void, class X, class Y>
[[nodiscard]] auto slope(const X& x, const Y& y, const options& options = {}) {
  return detail::ratio_of_views<reduction::slope, R>(x, y, options);
}
template <class X, class Y, result_range Out>
void slope(const X& x, const Y& y, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::slope>(x, y, out, options);
}

/// (Σ yᵢ·Σ xᵢ² − Σ xᵢ·Σ xᵢyᵢ)/(n·Σ xᵢ² − (Σ xᵢ)²): the intercept of that line.
template <class R = void, class X, class Y>
[[nodiscard]] auto intercept(const X& x, const Y& y, const options& options = {}) {
  return detail::ratio_of_views<reduction::intercept, R>(x, y, options);
}
template <class X, class Y, result_range Out>
void intercept(const X& x, const Y& y, Out&& out, const options& options = {}) {
  detail::ratios_of_shapes<reduction::intercept>(x, y, out, options);
}

/// √((n·Σ xᵢ² − (Σ xᵢ)²)/(n²·(n − ddof))): the standard error of the mean of x. ddof: 1 by default.
template <class R = void, class X>
requires(!many_vectors<X>)
    [[nodiscard]] auto standard_error(const X& x, ddof_number ddof = 1, const options& options = {}) {
  return detail::reduce_view<reduction::standard_error, R>(x, options, ddof);
}
template <many_vectors X, result_range Out>
void standard_error(const X& x, Out&& out, ddof_number ddof = 1, const options& options = {}) {
  detail::reduce_many<reduction::standard_error>(x, out, options, ddof);
}

}  // namespace exactdot::inline v0_3
