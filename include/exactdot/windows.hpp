// SPDX-License-Identifier: Apache-2.0
// Prefix sums and moving windows, each result the real number rounded once, at a cost that does not depend on the
// window: cumsum(x, out), rolling_mean(x, 20, out), rolling_variance(skip_nan(rows{x, m, n}), {20, 5}, out, 1), ….
//
// Element i of `out` has the bits of the reduction of elements i − window + 1 to i alone (of prefixes: 0 to i):
// nothing is left of elements that have gone, as in sums that are updated in floating point. Of windows with fewer
// elements than min_periods, those at the beginning and, with skip_nan, those with NaNs, it is NaN; a window longer
// than x has prefixes. Without skip_nan the sum of a window with a NaN is NaN, and it is gone when the NaN is.
//
// x: a vector view, skip_nan of one, or rows or columns, along each of which windows move. out: a contiguous range
// of as many elements, in the order of x, of a matrix row after row, outside x. Its type: any floating-point type;
// of prefixes of integers std::int64_t and std::uint64_t too. Host memory only.
//
// Errors: errc::size_mismatch; errc::bad_option for a window of 0, min_periods beyond the window, another result
// type, mode fast, results inside x, masks and initial values, variances of integers beyond 53 bits, GPU memory;
// errc::overflow; errc::null_pointer; errc::cancelled. Of several rows those before one that fails have been
// stored. Cost: some 5 to 20 ns an element on one thread, of variances 15 to 70; where bounds leave results open (a spread
// far below the mean, exponents far apart) up to 2 microseconds, at worst 25.
// Memory: 8 bytes an element, unless x holds contiguous finite doubles.
#pragma once

#include <exactdot/requirements.hpp>

#include <concepts>
#include <exactdot/missing.hpp>

namespace exactdot::inline v0_3 {

/// How many elements a window has, and at least, to have a result: {length, min_periods}, or a length, which is
/// both.
struct moving_window {
  static constexpr std::size_t negative = ~std::size_t{0};  ///< as min_periods: errc::bad_option
  std::size_t length = 0, min_periods = 0;

  template <std::integral N>
  constexpr moving_window(N n) : length(n < 0 ? 0 : static_cast<std::size_t>(n)), min_periods(length) {}
  template <std::integral N, std::integral M>
  constexpr moving_window(N n, M least)
      : length(n < 0 ? 0 : static_cast<std::size_t>(n)),
        min_periods(least < 0 ? negative : static_cast<std::size_t>(least)) {}
};

namespace detail {
/// What is computed of each window.
struct rolling {
  const char* caller;
  reduction what;              ///< sum, mean, variance or stddev
  moving_window window;        ///< of prefixes not read
  bool are_prefixes = false;   ///< of sums: windows that begin with the first element
  element_filter filter = {};  ///< skips_nan only
  std::int64_t ddof = 0;
};
/// Windows along the one axis of elements of every line. `out`: with the axes of the results of x, then that axis.
void roll(const rolling& how, const any_grid& x, const any_results& out, const options& options);
/// Throws errc::size_mismatch.
[[noreturn]] void refuse_results(const char* caller, std::size_t results, std::size_t elements);

template <class X>
constexpr bool check_line() {
  if constexpr (is_kept<X>) {
    return check_line<std::remove_cvref_t<decltype(X::x)>>();
  } else if constexpr (matrix_view<X>) {
    return true;
  } else if constexpr (many_vectors<X>) {
    static_assert(!many_vectors<X>, "exactdot: windows move along vectors, rows and columns");
    return false;
  } else {
    return check_view<X>();
  }
}

template <class X, result_range Out>
void roll_view(rolling how, const X& x, Out&& out, const options& options) {
  if constexpr (is_kept<X>) {
    how.filter = x.filter();
    roll_view(how, x.x, out, options);
  } else {
    using result = result_of<Out>;
    const auto size = static_cast<std::ptrdiff_t>(sizeof(result));
    const std::size_t results = std::ranges::size(out);
    if constexpr (matrix_view<X>) {
      const line_grid lines = to_lines(x);
      const std::size_t m = lines.results.n, n = lines.elements.n;
      std::size_t wanted = 0;
      if (__builtin_mul_overflow(m, n, &wanted) || results != wanted) refuse_results(how.caller, results, wanted);
      const auto step = [&](std::size_t elements) { return static_cast<std::ptrdiff_t>(elements) * size; };
      const axis places[] = {{m, is_columns<X> ? size : step(n)}, {n, is_columns<X> ? step(m) : size}};
      roll(how, lines.view(), {std::ranges::data(out), type_of<result>, places}, options);
    } else {
      const element_line line(to_any(x));
      if (results != line.elements.n) refuse_results(how.caller, results, line.elements.n);
      const axis places[] = {{results, size}};
      roll(how, line.view(), {std::ranges::data(out), type_of<result>, places}, options);
    }
  }
}

template <reduction what, class X, result_range Out>
void roll_checked(const rolling& how, const X& x, Out&& out, const options& options) {
  if constexpr (check_line<X>()) {
    if constexpr (check_result<what, result_of<Out>, typename value_of<X>::type>()) roll_view(how, x, out, options);
  }
}
}  // namespace detail

/// out[i] = the sum of elements 0 to i.
template <class X, result_range Out>
void cumsum(const X& x, Out&& out, const options& options = {}) {
  detail::roll_checked<reduction::sum>({"cumsum", reduction::sum, 0, true}, x, out, options);
}

/// out[i] = the sum of elements i − window + 1 to i.
template <class X, result_range Out>
void rolling_sum(const X& x, moving_window window, Out&& out, const options& options = {}) {
  detail::roll_checked<reduction::sum>({"rolling_sum", reduction::sum, window}, x, out, options);
}

/// The mean of each window: the exact quotient, rounded once.
template <class X, result_range Out>
void rolling_mean(const X& x, moving_window window, Out&& out, const options& options = {}) {
  detail::roll_checked<reduction::mean>({"rolling_mean", reduction::mean, window}, x, out, options);
}

/// The variance of each window: the exact quotient, rounded once. ddof: 0 by default; NaN for windows of ddof
/// elements or fewer.
template <class X, result_range Out>
void rolling_variance(const X& x, moving_window window, Out&& out, ddof_number ddof = 0,
                      const options& options = {}) {
  detail::roll_checked<reduction::variance>({"rolling_variance", reduction::variance, window, false, {}, ddof}, x,
                                            out, options);
}

/// Its root, rounded once.
template <class X, result_range Out>
void rolling_stddev(const X& x, moving_window window, Out&& out, ddof_number ddof = 0,
                    const options& options = {}) {
  detail::roll_checked<reduction::stddev>({"rolling_stddev", reduction::stddev, window, false, {}, ddof}, x, out,
                                          options);
}

}  // namespace exactdot::inline v0_3
