// SPDX-License-Identifier: Apache-2.0
// Ratios of sums of two vectors, each the real number rounded once: weighted means and variances, variances about
// given means, cosines, distances, covariances, correlations, the least-squares line; and the standard error of a
// mean.
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

#include <exactdot/batches.hpp>
#include <exactdot/requirements.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
/// The results for all pairs of the vectors of x, along its one axis of results, at row i and column k of `out`, of
/// two axes or of one, row after row. `what` is a ratio that does not depend on the order of the two vectors.
void reduce_matrix(reduction what, const any_grid& x, const any_results& out, const options& options,
                   std::int64_t ddof, const char* caller);

template <reduction what, class R, class X, class Y>
[[nodiscard]] auto ratio_of_views(const X& x, const Y& y, const options& options, std::int64_t ddof = 0) {
  if constexpr (is_kept<X>) {
    return kept_result<what, R>(x, y, options, ddof);
  } else if constexpr (check_view<X>() && check_view<Y>()) {
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

/// A ratio of x and a number that each element has as its partner, or a view of such numbers.
template <reduction what, class R, class X, class Mean>
[[nodiscard]] auto about(const X& x, const Mean& mean, const options& options, std::int64_t ddof) {
  if constexpr (!element<Mean> && !std::is_integral_v<Mean>) {
    return ratio_of_views<what, R>(x, mean, options, ddof);
  } else if constexpr (!element<Mean>) {  // long long, for one
    using integer = std::conditional_t<std::is_signed_v<Mean>, std::int64_t, std::uint64_t>;
    return about<what, R>(x, static_cast<integer>(mean), options, ddof);
  } else if constexpr (is_kept<X>) {
    using result = result_or<R, type_at<default_result_type(what, type_of<typename X::value_type>)>>;
    return kept_result<what, result>(x, strided<Mean>{&mean, to_any(x.x).n, 0}, options, ddof);
  } else if constexpr (check_view<X>()) {
    constexpr element_type type = type_of<element_of_view<X>>;
    using result = result_or<R, type_at<default_result_type(what, type)>>;
    return ratio_of_views<what, result>(x, strided<Mean>{&mean, to_any(x).n, 0}, options, ddof);
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
  if constexpr (is_kept<X>) {
    kept_results<false>(what, x, y, to.view(), options, ddof);
  } else if constexpr (is_segments<X>) {
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

/// Σ wᵢ·(xᵢ − m)²/(Σ wᵢ − ddof) with the exact weighted mean m, that is
/// (Σ wᵢ·Σ wᵢxᵢ² − (Σ wᵢxᵢ)²)/(Σ wᵢ·(Σ wᵢ − ddof)): +0 for equal elements, whatever their weights. ddof: 0 by
/// default; 1 for the variance of a sample, if the weights count how often each element occurs. The canonical NaN
/// unless the divisor is above 0. Weights may be negative: then the variance may be, too.
template <class R = void, class X, class Weights>
[[nodiscard]] auto weighted_variance(const X& x, const Weights& weights, ddof_number ddof = 0,
                                     const options& options = {}) {
  return detail::ratio_of_views<reduction::weighted_variance, R>(x, weights, options, ddof);
}
template <class X, class Weights, result_range Out>
void weighted_variance(const X& x, const Weights& weights, Out&& out, ddof_number ddof = 0,
                       const options& options = {}) {
  detail::ratios_of_shapes<reduction::weighted_variance>(x, weights, out, options, ddof);
}

/// Its root, rounded once; the canonical NaN if it is negative.
template <class R = void, class X, class Weights>
[[nodiscard]] auto weighted_stddev(const X& x, const Weights& weights, ddof_number ddof = 0,
                                   const options& options = {}) {
  return detail::ratio_of_views<reduction::weighted_stddev, R>(x, weights, options, ddof);
}
template <class X, class Weights, result_range Out>
void weighted_stddev(const X& x, const Weights& weights, Out&& out, ddof_number ddof = 0,
                     const options& options = {}) {
  detail::ratios_of_shapes<reduction::weighted_stddev>(x, weights, out, options, ddof);
}

/// Σ (xᵢ − mean)²/(n − ddof): the variance about a mean that is known. mean: a number, which is taken as it is, or
/// a view with one for each element, so that this is the mean squared error of y as x. ddof: 0 by default, which is
/// right for the known mean of a population. Of a number, R is by default that of variance(x).
template <class R = void, class X, class Mean>
[[nodiscard]] auto variance_about(const X& x, const Mean& mean, ddof_number ddof = 0, const options& options = {}) {
  return detail::about<reduction::variance_about, R>(x, mean, options, ddof);
}
/// Of shapes: mean is a shape, too, or a view in the places of the segments' or groups' elements.
template <class X, class Mean, result_range Out>
void variance_about(const X& x, const Mean& mean, Out&& out, ddof_number ddof = 0, const options& options = {}) {
  detail::ratios_of_shapes<reduction::variance_about>(x, mean, out, options, ddof);
}

/// Its root, rounded once.
template <class R = void, class X, class Mean>
[[nodiscard]] auto stddev_about(const X& x, const Mean& mean, ddof_number ddof = 0, const options& options = {}) {
  return detail::about<reduction::stddev_about, R>(x, mean, options, ddof);
}
template <class X, class Mean, result_range Out>
void stddev_about(const X& x, const Mean& mean, Out&& out, ddof_number ddof = 0, const options& options = {}) {
  detail::ratios_of_shapes<reduction::stddev_about>(x, mean, out, options, ddof);
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

/// The matrices of the covariances and correlations of all pairs of m rows or columns: m² results, row after row.
/// They are symmetric, and each element is that of its pair alone: on the diagonal lie the variances, and 1. Cost:
/// one read of both vectors for each of the m·(m + 1)/2 pairs, shared among threads.
template <many_vectors X, result_range Out>
void covariance_matrix(const X& x, Out&& out, ddof_number ddof = 1, const options& options = {}) {
  [[maybe_unused]] constexpr bool checked =
      detail::check_result<reduction::covariance, detail::result_of<Out>, typename detail::value_of<X>::type>();
  const detail::result_line to(out);
  const detail::line_grid lines = detail::to_lines(x);
  detail::reduce_matrix(reduction::covariance, lines.view(), to.view(), options, ddof, "covariance_matrix");
}
template <many_vectors X, result_range Out>
void correlation_matrix(const X& x, Out&& out, const options& options = {}) {
  [[maybe_unused]] constexpr bool checked =
      detail::check_result<reduction::correlation, detail::result_of<Out>, typename detail::value_of<X>::type>();
  const detail::result_line to(out);
  const detail::line_grid lines = detail::to_lines(x);
  detail::reduce_matrix(reduction::correlation, lines.view(), to.view(), options, 0, "correlation_matrix");
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
requires(!reducible_vectors<X>)
    [[nodiscard]] auto standard_error(const X& x, ddof_number ddof = 1, const options& options = {}) {
  return detail::reduce_view<reduction::standard_error, R>(x, options, ddof);
}
template <reducible_vectors X, result_range Out>
void standard_error(const X& x, Out&& out, ddof_number ddof = 1, const options& options = {}) {
  detail::reduce_many<reduction::standard_error>(x, out, options, ddof);
}

}  // namespace exactdot::inline v0_3
