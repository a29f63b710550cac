// Prefix sums and moving windows (exactdot/windows.hpp): every window has the oracle's bits for its elements alone,
// of every element type, with and without NaNs, of vectors, rows and columns; lengths, errors, and results of
// nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <vector>

#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

/// Elements whose sums cancel, with NaNs and infinities among those of floating point.
template <class T>
std::vector<T> elements(oracle::rng& random, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (integer_element<T>) {
      x[i] = static_cast<T>(random.bits() >> random.between(12, 60));
    } else {
      const double value = std::ldexp(2 * random.unit() - 1, random.between(-8, sizeof(T) < 4 ? 3 : 60));
      x[i] = static_cast<T>(static_cast<float>(value));
      if (i > 2 && random.below(3) == 0) x[i] = static_cast<T>(-static_cast<float>(x[i - 2]));
      if (random.below(40) == 0) x[i] = static_cast<T>(NAN);
      if (random.below(60) == 0) x[i] = static_cast<T>(random.coin() ? HUGE_VALF : -HUGE_VALF);
    }
  }
  return x;
}

template <class T>
bool is_nan(T x) {
  return any_scalar{type_of<T>, detail::to_word(x)}.to_double() !=
         any_scalar{type_of<T>, detail::to_word(x)}.to_double();
}

/// The bits of a result of the elements that are there, or of NaN.
template <class R, class T>
std::uint64_t expected(reduction what, std::vector<T> window, std::size_t min_periods, std::int64_t ddof,
                       bool skips) {
  if (skips) std::erase_if(window, [](T x) { return is_nan(x); });
  if (window.size() < min_periods) {
    const std::vector<double> nan{NAN};
    return oracle::reference(reduction::sum, to_any(nan), to_any(nan)).exact(type_of<R>)->bits;
  }
  const any_vector of = to_any(window);
  return oracle::reference(what, of, of, ddof).exact(type_of<R>)->bits;
}

template <class R, class T>
void check_line(reduction what, const std::vector<T>& x, moving_window window, bool are_prefixes, std::int64_t ddof,
                bool skips, const auto& result_at) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t length = are_prefixes ? x.size() : window.length, first = i + 1 > length ? i + 1 - length : 0;
    const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(first),
                              x.begin() + static_cast<std::ptrdiff_t>(i + 1));
    const std::uint64_t wanted = expected<R>(what, part, are_prefixes ? 0 : window.min_periods, ddof, skips);
    ASSERT_EQ(detail::to_word<R>(result_at(i)), wanted)
        << name_of(what) << " of " << name_of(type_of<T>) << " at " << i << ", window " << window.length << ", "
        << window.min_periods;
  }
}

template <class T, class R>
void check_type(oracle::rng& random) {
  const std::vector<T> x = elements<T>(random, 90);
  std::vector<R> out(x.size());
  const auto at = [&](std::size_t i) { return out[i]; };
  for (const bool skips : {false, true}) {
    const auto roll = [&](const auto& call) { skips ? call(skip_nan(x)) : call(x); };
    roll([&](const auto& of) { cumsum(of, out); });
    check_line<R>(reduction::sum, x, 0, true, 0, skips, at);
    for (const std::size_t length : {1, 2, 7, 89, 90, 500}) {
      const moving_window window(length, random.below(length + 1));
      roll([&](const auto& of) { rolling_sum(of, window, out); });
      check_line<R>(reduction::sum, x, window, false, 0, skips, at);
      roll([&](const auto& of) { rolling_mean(of, window, out); });
      check_line<R>(reduction::mean, x, window, false, 0, skips, at);
      if (sizeof(T) == 8 && integer_element<T>) continue;  // beyond 53 bits
      const auto ddof = static_cast<std::int64_t>(random.below(3));
      roll([&](const auto& of) { rolling_variance(of, window, out, ddof); });
      check_line<R>(reduction::variance, x, window, false, ddof, skips, at);
      roll([&](const auto& of) { rolling_stddev(of, window, out, ddof); });
      check_line<R>(reduction::stddev, x, window, false, ddof, skips, at);
    }
  }
}

TEST(windows, have_the_bits_of_their_elements_alone) {
  oracle::rng random(3);
  check_type<double, double>(random), check_type<double, float>(random), check_type<float, double>(random);
  check_type<float, float>(random), check_type<float16, float16>(random), check_type<bfloat16, float>(random);
  check_type<float8_e4m3fn, bfloat16>(random), check_type<float8_e5m2, float8_e5m2>(random);
  check_type<std::int8_t, double>(random), check_type<std::uint16_t, float>(random);
  check_type<std::int32_t, double>(random), check_type<std::int64_t, double>(random);
  check_type<std::uint64_t, float16>(random);
}

TEST(windows, move_along_rows_and_columns) {
  oracle::rng random(4);
  const std::vector<double> x = elements<double>(random, 60);
  std::vector<double> out(60);
  rolling_mean(rows{x.data(), 4, 15}, 4, out);
  for (std::size_t row = 0; row < 4; ++row) {
    const std::vector<double> line(&x[row * 15], &x[row * 15] + 15);
    check_line<double>(reduction::mean, line, 4, false, 0, false, [&](std::size_t i) { return out[row * 15 + i]; });
  }
  const std::vector<float> narrow = elements<float>(random, 60);
  std::vector<double> of_gaps(40);
  rolling_sum(rows{narrow.data(), 4, 10, 15}, 3, of_gaps);
  for (std::size_t row = 0; row < 4; ++row) {
    const std::vector<float> line(&narrow[row * 15], &narrow[row * 15] + 10);
    check_line<double>(reduction::sum, line, 3, false, 0, false, [&](std::size_t i) { return of_gaps[row * 10 + i]; });
  }
  cumsum(skip_nan(columns{x.data(), 15, 4}), out);
  for (std::size_t column = 0; column < 4; ++column) {
    std::vector<double> line(15);
    for (std::size_t i = 0; i < 15; ++i) line[i] = x[i * 4 + column];
    check_line<double>(reduction::sum, line, 0, true, 0, true, [&](std::size_t i) { return out[i * 4 + column]; });
  }
  std::vector<double> backwards(30);
  rolling_stddev(strided{&x[59], 30, -2}, {5, 1}, backwards, 1);
  std::vector<double> line(30);
  for (std::size_t i = 0; i < 30; ++i) line[i] = x[59 - 2 * i];
  check_line<double>(reduction::stddev, line, {5, 1}, false, 1, false, [&](std::size_t i) { return backwards[i]; });
}

TEST(windows, of_integers) {
  const std::vector<std::int32_t> x = {1, -2, 3};
  std::vector<std::int64_t> out(3);
  cumsum(x, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{1, -1, 2}));
  const std::vector<std::int64_t> large(2, std::numeric_limits<std::int64_t>::max());
  std::vector<std::int64_t> two = {8, 8};
  expect_error(errc::overflow, "cumsum: result 1 does not fit into int64", [&] { cumsum(large, two); });
  EXPECT_EQ(two, (std::vector<std::int64_t>{8, 8}));
  std::vector<double> rounded(2);
  rolling_sum(large, {2, 1}, rounded);
  EXPECT_EQ(rounded, (std::vector<double>{0x1p63, 0x1p64}));
  expect_error(errc::bad_option, "more than 53 bits", [&] { rolling_variance(large, 2, rounded); });
}

TEST(windows, equal_elements_beside_special_ones) {
  for (const double special : {double{NAN}, double{INFINITY}}) {
    const std::vector<double> x = {0.1, 0.1, special, 0.1, 0.1, 0.1, 0.3, 0.1, 0.1};
    for (const bool skips : {false, true}) {
      std::vector<double> out(x.size());
      if (skips) {
        rolling_variance(skip_nan(x), {3, 1}, out);
      } else {
        rolling_variance(x, {3, 1}, out);
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t first = i < 2 ? 0 : i - 2;
        const std::span<const double> window(&x[first], i + 1 - first);
        const double expected = skips ? variance(skip_nan(window)) : variance(window);
        EXPECT_TRUE(out[i] == expected || (std::isnan(out[i]) && std::isnan(expected))) << i << ' ' << out[i];
      }
    }
  }
}

TEST(windows, of_nothing) {
  const std::vector<double> none;
  std::vector<double> out;
  cumsum(none, out);
  rolling_mean(none, 3, out);
  cumsum(rows{none.data(), 0, 5}, out), cumsum(columns{none.data(), 0, 5}, out);
  const std::vector<double> nans = {NAN, NAN};
  std::vector<double> two(2);
  rolling_sum(skip_nan(nans), {2, 0}, two);
  EXPECT_EQ(two, (std::vector<double>{0, 0}));
  rolling_mean(skip_nan(nans), {2, 0}, two);
  EXPECT_TRUE(std::isnan(two[0]) && std::isnan(two[1]));
}

TEST(windows, errors) {
  const std::vector<double> x = {1, 2, 3};
  std::vector<double> out = {8, 8, 8}, two(2);
  std::vector<std::int64_t> whole(3);
  expect_error(errc::bad_option, "rolling_sum: the window has no elements; use 1 or more",
               [&] { rolling_sum(x, 0, out); });
  expect_error(errc::bad_option, "the window has no elements", [&] { rolling_mean(x, -3, out); });
  expect_error(errc::bad_option, "min_periods is negative", [&] { rolling_sum(x, {3, -1}, out); });
  expect_error(errc::bad_option, "min_periods is 4, more than the window of 3", [&] {
    rolling_sum(x, {3, 4}, out);
  });
  expect_error(errc::size_mismatch, "rolling_sum: 2 results for 3 elements", [&] { rolling_sum(x, 1, two); });
  expect_error(errc::size_mismatch, "2 results for 3 elements", [&] { cumsum(rows{x.data(), 1, 3}, two); });
  expect_error(errc::bad_option, "a floating-point type", [&] {
    rolling_sum(std::vector<int>{1, 2, 3}, 1, whole);
  });
  expect_error(errc::bad_option, "ddof is -1", [&] { rolling_variance(x, 2, out, -1); });
  expect_error(errc::bad_option, "mode fast", [&] { cumsum(x, out, {.mode = mode::fast}); });
  expect_error(errc::bad_option, "threads is -1", [&] { cumsum(x, out, {.threads = -1}); });
  expect_error(errc::no_device, "CUDA", [&] { cumsum(x, out, {.device = device::cuda}); });
  expect_error(errc::bad_option, "no mask", [&] { cumsum(where(x, std::array{true, true, true}), out); });
  expect_error(errc::bad_option, "no initial value", [&] { cumsum(with_initial(x, 1.0), out); });
  expect_error(errc::null_pointer, "null pointer", [&] { cumsum(strided<double>{nullptr, 3, 1}, out); });
  expect_error(errc::bad_option, "exceeds the address space", [&] {
    cumsum(strided{x.data(), 3, std::numeric_limits<std::ptrdiff_t>::max()}, out);
  });
  expect_error(errc::bad_option, "results lie within x", [&] { cumsum(out, out); });
  std::vector<double> both(4);  // results that begin before x
  expect_error(errc::bad_option, "results lie within x", [&] {
    rolling_sum(std::span(both).last(3), 2, std::span(both).first(3));
  });
  monitor monitor;
  monitor.cancel = true;
  expect_error(errc::cancelled, "cancelled", [&] { cumsum(x, out, {.monitor = &monitor}); });
  EXPECT_EQ(out, (std::vector<double>{8, 8, 8}));
}

}  // namespace
