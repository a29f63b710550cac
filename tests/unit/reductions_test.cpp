// The C++ interface of the reductions: result types, values of nothing, special values, errors; accumulators and
// moments of every element type. The table of tests (tests/table) compares values with the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <vector>

#include "oracle/bits.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> numbers(std::initializer_list<double> values) {
  std::vector<T> all;
  for (const double x : values) all.push_back(static_cast<T>(static_cast<float>(x)));
  return all;
}

template <class T>
class every_type : public testing::Test {};
using all_types =
    testing::Types<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float8_e4m3fn, float8_e5m2>;
TYPED_TEST_SUITE(every_type, all_types);

TYPED_TEST(every_type, has_all_reductions) {
  const auto x = numbers<TypeParam>({3, 1, 2, 6}), y = numbers<TypeParam>({1, 2, 3, 4});
  const TypeParam of_products[] = {numbers<TypeParam>({35})[0], numbers<TypeParam>({50})[0]};  // 8-bit floats round
  EXPECT_EQ(dot(x, y), of_products[0]);
  EXPECT_EQ(sum(x), 12);
  EXPECT_EQ(asum(x), 12);
  EXPECT_EQ(sum_of_squares(x), of_products[1]);
  EXPECT_EQ(nrm2<double>(x), std::sqrt(50.0));
  EXPECT_EQ(mean(x), 3);
  EXPECT_EQ(variance(x), 3.5);
  EXPECT_EQ(variance<double>(x, 1), 14.0 / 3);
  EXPECT_EQ(stddev<double>(x), std::sqrt(3.5));
  EXPECT_EQ(min(x), 1);
  EXPECT_EQ(max(x), 6);
  EXPECT_EQ(argmin(x), 1u);
  EXPECT_EQ(argmax(x), 3u);
  EXPECT_EQ(sum(strided{&x[3], 2, -2}), 7);
}

TYPED_TEST(every_type, has_an_accumulator) {
  const auto x = numbers<TypeParam>({3, 1, 2, 6}), y = numbers<TypeParam>({1, 2, 3, 4});
  accumulator<TypeParam> whole, singly;
  whole.add(std::span<const TypeParam>(x), std::span<const TypeParam>(y));
  for (std::size_t i = 0; i < x.size(); ++i) singly.add(x[i], y[i]);
  EXPECT_TRUE(std::ranges::equal(whole.words(), singly.words()));
  EXPECT_EQ(whole.template round<double>(), 35);
  EXPECT_EQ(accumulator<TypeParam>(whole.words()).template round<double>(), 35);
  whole.add(std::span<const TypeParam>(x));
  EXPECT_EQ(whole.template round<double>(), 47);
  EXPECT_EQ(whole.template round_quotient<double>(2), 23.5);
  whole.subtract(singly);
  EXPECT_EQ(whole.template round<double>(), 12);
  whole.subtract(x[3]);
  whole.subtract(x[0], y[3]);
  EXPECT_EQ(whole.template round<double>(), -6);
  EXPECT_TRUE(std::isnan(whole.template round_root<double>()));
  whole.negate();
  EXPECT_EQ(whole.template round_root<double>(), std::sqrt(6.0));
}

TYPED_TEST(every_type, has_moments) {
  const auto x = numbers<TypeParam>({3, 1, 2, 6});
  moments<TypeParam> whole, first, rest;
  whole.add(std::span<const TypeParam>(x));
  first.add(x[0]);
  rest.add(std::span<const TypeParam>(x).subspan(1));
  first.merge(rest);
  EXPECT_EQ(first.words(), whole.words());
  EXPECT_EQ(whole.count(), 4u);
  EXPECT_EQ(whole.template mean<double>(), 3);
  EXPECT_EQ(whole.template variance<double>(1), 14.0 / 3);
  EXPECT_EQ(whole.template stddev<double>(), std::sqrt(3.5));
  EXPECT_EQ(whole.template nrm2<double>(), std::sqrt(50.0));
  EXPECT_EQ(moments<TypeParam>(whole.words()).words(), whole.words());
}

TYPED_TEST(every_type, has_values_of_nothing) {
  const std::vector<TypeParam> none;
  EXPECT_TRUE(oracle::same_bits(sum<double>(none), 0.0));
  EXPECT_TRUE(oracle::same_bits(nrm2<double>(none), 0.0));
  EXPECT_TRUE(std::isnan(mean<double>(none)));
  EXPECT_TRUE(std::isnan(variance<double>(none)));
  EXPECT_TRUE(std::isnan(variance<double>(numbers<TypeParam>({1}), 1)));
  expect_error(errc::empty_input, "min: the vector is empty", [&] { (void)min(none); });
  expect_error(errc::empty_input, "argmax: the vector is empty", [&] { (void)argmax(none); });
}

TEST(result_types, are_the_element_type_or_hold_it) {
  const std::vector<float> f = {1};
  const std::vector<double> d = {1};
  const auto h = numbers<float16>({1});
  const auto b = numbers<bfloat16>({1});
  const std::vector<std::int8_t> i = {1};
  const std::vector<std::uint32_t> u = {1};
  static_assert(std::is_same_v<decltype(sum(h)), float16> && std::is_same_v<decltype(sum(d)), double>);
  static_assert(std::is_same_v<decltype(dot(f, d)), double> && std::is_same_v<decltype(dot(h, b)), float>);
  static_assert(std::is_same_v<decltype(sum(i)), std::int64_t> && std::is_same_v<decltype(sum(u)), std::uint64_t>);
  static_assert(std::is_same_v<decltype(dot(i, u)), std::int64_t> && std::is_same_v<decltype(mean(i)), double>);
  static_assert(std::is_same_v<decltype(min(u)), std::uint32_t> && std::is_same_v<decltype(nrm2(h)), float16>);
  const auto e4 = numbers<float8_e4m3fn>({1});
  const auto e5 = numbers<float8_e5m2>({1});
  static_assert(std::is_same_v<decltype(sum(e4)), float8_e4m3fn> &&
                std::is_same_v<decltype(mean(e5)), float8_e5m2>);
  static_assert(std::is_same_v<decltype(dot(e4, e5)), float> && std::is_same_v<decltype(dot(e4, h)), float>);
  EXPECT_EQ(dot(f, d) + dot(h, b) + dot(e4, e5), 3);
}

TEST(special_values, follow_the_terms) {
  const std::vector<double> both = {1, inf, -inf}, with_nan = {inf, NAN, 1};
  EXPECT_TRUE(std::isnan(sum(both)));
  EXPECT_EQ(asum(both), inf);
  EXPECT_EQ(sum_of_squares(both), inf);
  EXPECT_EQ(nrm2(both), inf);
  EXPECT_TRUE(std::isnan(variance(std::vector<double>{1, inf})));
  EXPECT_EQ(min(both), -inf);
  EXPECT_EQ(argmax(both), 1u);
  EXPECT_TRUE(std::isnan(nrm2(with_nan)) && std::isnan(min(with_nan)) && std::isnan(max(with_nan)));
  EXPECT_EQ(argmin(with_nan), 1u);
  EXPECT_EQ(argmin(std::vector<double>{0.0, -0.0}), 1u);
  EXPECT_TRUE(oracle::same_bits(max(std::vector<double>{-0.0, 0.0, -0.0}), 0.0));
}

TEST(norms, neither_overflow_nor_underflow) {
  EXPECT_EQ(nrm2(std::vector<double>{3e300, 4e300}), 5e300);
  EXPECT_EQ(nrm2(std::vector<double>{3 * 0x1p-1074, 4 * 0x1p-1074}), 5 * 0x1p-1074);
  EXPECT_EQ(nrm2(std::vector<double>(4, 1e308)), inf);
  accumulator<double> squares;
  squares.add_squares(std::span<const double>(std::vector<double>(4, 0x1p1023)));
  const scaled_double norm = squares.round_root_scaled();
  EXPECT_EQ(norm.significand, 1);
  EXPECT_EQ(norm.exponent, 1024);
  EXPECT_EQ(squares.round_scaled().exponent, 2048);
}

TEST(variances, cancel_exactly) {
  EXPECT_EQ(variance(std::vector<double>(1000, 0.1)), 0);
  EXPECT_EQ(variance(std::vector<double>{1e16, 1e16 + 2}), 1);
  EXPECT_EQ(variance(std::vector<double>{1e200, 1e200, -1e-200}), inf);
}

TEST(integers, are_summed_exactly_in_both_modes) {
  const std::vector<std::int64_t> x(3, std::numeric_limits<std::int64_t>::max());
  expect_error(errc::overflow, "does not fit into int64", [&] { (void)sum(x); });
  expect_error(errc::overflow, "does not fit into uint64", [&] { (void)sum<std::uint64_t>(x); });
  EXPECT_EQ(sum<double>(x), 3 * 0x1p63);
  EXPECT_EQ(sum<double>(x, {.mode = mode::fast}), 3 * 0x1p63);
  const std::vector<std::int64_t> cancels = {x[0], x[0], -x[0], -x[0], 5};
  EXPECT_EQ(sum(cancels), 5);
  expect_error(errc::overflow, "uint64", [] { (void)sum<std::uint64_t>(std::vector<std::int8_t>{-1}); });
}

TEST(refusals, name_what_is_allowed) {
  const std::vector<double> x = {1};
  const std::vector<std::int32_t> i = {1};
  expect_error(errc::bad_option, "variance: ddof is -1", [&] { (void)variance(x, -1); });
  // a short call, which needs no plan
  const auto any = exactdot::to_any(std::span<const double>(x));
  expect_error(errc::bad_option, "ddof is -3", [&] {
    (void)exactdot::reduce(exactdot::reduction::sum, any, exactdot::element_type::float64, {}, -3);
  });
  expect_error(errc::bad_option, "mode fast has no variance", [&] { (void)stddev(x, 0, {.mode = mode::fast}); });
  expect_error(errc::bad_option, "use a floating-point type",
               [&] { (void)reduce(reduction::sum, to_any(x), element_type::int64); });
  expect_error(errc::bad_option, "use int64, uint64 or",
               [&] { (void)reduce(reduction::sum, to_any(i), element_type::int32); });
  expect_error(errc::bad_option, "use a floating-point type",
               [&] { (void)reduce(reduction::mean, to_any(i), element_type::int64); });
  expect_error(errc::bad_option, "one vector holds integers (int32)",
               [&] { (void)dot(to_any(x), to_any(i), element_type::float64); });
  expect_error(errc::bad_option, "use int32",
               [&] { (void)reduce(reduction::min, to_any(i), element_type::int64); });
  expect_error(errc::bad_option, "reduce: dot takes two vectors",
               [&] { (void)reduce(reduction::dot, to_any(x), element_type::float64); });
  expect_error(errc::bad_option, "unknown reduction 99",
               [&] { (void)reduce(static_cast<reduction>(99), to_any(x), element_type::float64); });
  expect_error(errc::null_pointer, "sum: a null pointer", [] { (void)sum(strided<float>{nullptr, 3, 1}); });
  expect_error(errc::bad_option, "x: 2 elements with a stride", [&] {
    (void)sum(strided<double>{x.data(), 2, std::ptrdiff_t{1} << 61});
  });
}

}  // namespace
