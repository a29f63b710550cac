// Reference results and error bounds against values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <lab/bounds.hpp>
#include <lab/ramp.hpp>
#include <lab/reference.hpp>
#include <limits>
#include <vector>

namespace {

using namespace exactdot::lab;

template <class T>
reference<T> reference_of(const std::vector<T>& a, const std::vector<T>& b, operation op = operation::sum) {
  return reference<T>(a, b, op);
}

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(reference, of_a_sum_is_exact) {
  EXPECT_EQ(reference_of<double>({1e200, 1e200, 1}, {1e200, -1e200, 1}).value(), 1);
  EXPECT_EQ(reference_of<float>({0x1p24F, 1, -0x1p24F}, {1, 1, 1}).value(), 1);
  EXPECT_EQ(reference_of<float>({1, 0x1p-12F}, {1, 0x1p-12F}).value(), 1) << "a tie goes to even";
  EXPECT_EQ(reference_of<float>({1, 0x1p-12F, 0x1p-70F}, {1, 0x1p-12F, 0x1p-70F}).value(), 1 + 0x1p-23F);
  EXPECT_EQ(reference_of<double>({1, infinite}, {1, 1}).value(), infinite);
  EXPECT_TRUE(std::isnan(reference_of<double>({infinite, infinite}, {1, -1}).value()));
}

TEST(reference, of_other_operations_is_the_one_correct_value) {
  const std::vector<double> a{2, -3, 1, 0.5}, b{3, 3, -1, 4};  // 6, -9, -1, 2
  EXPECT_EQ(reference_of(a, b, operation::sum).value(), -2);
  EXPECT_EQ(reference_of(a, b, operation::min).value(), -9);
  EXPECT_EQ(reference_of(a, b, operation::max).value(), 6);
  EXPECT_EQ(reference_of(a, b, operation::absmax).value(), 9);
  EXPECT_EQ(reference_of(a, b, operation::product).value(), 108);
}

TEST(reference, of_nothing_is_the_identity) {
  EXPECT_EQ(reference_of<float>({}, {}).value(), 0);
  EXPECT_FALSE(std::signbit(reference_of<float>({}, {}).value()));
  EXPECT_EQ(reference_of<double>({}, {}, operation::min).value(), infinite);
  EXPECT_EQ(reference_of<double>({}, {}, operation::max).value(), -infinite);
  EXPECT_EQ(reference_of<double>({}, {}, operation::absmax).value(), 0);
  EXPECT_EQ(reference_of<double>({}, {}, operation::product).value(), 1);
}

TEST(reference, of_a_product_does_not_overflow_in_between) {
  const auto large_and_small =
      reference_of<float>({0x1p100F, 0x1p100F, 0x1p-100F, 0x1p-90F}, {1, 1, 1, 1}, operation::product);
  EXPECT_EQ(large_and_small.value(), 1024);
  EXPECT_TRUE(std::isinf(large_and_small.allowed_ulps({}, {.n = 4}))) << "in float some order overflows";
  EXPECT_EQ(reference_of<float>({2, 3}, {5, 7}, operation::product).value(), 210);
}

TEST(reference, of_a_product_supports_infinities_and_zeros) {
  EXPECT_EQ(reference_of<float>({3e38F, 2}, {3e38F, -1}, operation::product).value(), -infinite);
  EXPECT_EQ(reference_of<double>({1e-300, 2}, {1e-300, 1}, operation::product).value(), 0);
  EXPECT_TRUE(std::isnan(reference_of<float>({3e38F, 0}, {3e38F, 1}, operation::product).value()));
  EXPECT_TRUE(
      std::isinf(reference_of<float>({3e38F, 2}, {3e38F, 1}, operation::product).allowed_ulps({}, {.n = 2})));
}

TEST(reference, measures_errors_in_ulps_of_the_reference_value) {
  const auto sum = reference_of<float>({1, 0x1p-12F}, {1, 0x1p-12F});  // 1 + 2^-24
  EXPECT_EQ(sum.error_ulps(1), 0.5L);
  EXPECT_EQ(sum.error_ulps(1 + 0x1p-23F), 0.5L);
  EXPECT_EQ(sum.error_ulps(1 + 0x1p-22F), 1.5L);
  EXPECT_TRUE(std::isnan(sum.error_ulps(std::numeric_limits<float>::quiet_NaN())));
  const auto maximum = reference_of<double>({1, 3}, {1, 1}, operation::max);
  EXPECT_EQ(maximum.error_ulps(3), 0);
  EXPECT_EQ(maximum.error_ulps(3 - 0x1p-51), 1);
  EXPECT_TRUE(std::isnan(maximum.error_ulps(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(reference_of<double>({}, {}, operation::max).error_ulps(0)));
  EXPECT_EQ(reference_of<double>({}, {}, operation::max).error_ulps(-infinite), 0);
}

TEST(reference, allows_no_error_without_rounding_and_half_an_ulp_with_one_rounding) {
  const launch_config config{.n = 2};
  for (const operation op : {operation::min, operation::max, operation::absmax}) {
    EXPECT_EQ(reference_of<float>({1, 3}, {1, 1}, op).allowed_ulps({}, config), 0);
  }
  rung_info rounded;
  rounded.error = error_rule::correctly_rounded;
  EXPECT_EQ(reference_of<float>({1, 3}, {1, 1}).allowed_ulps(rounded, config), 0.5L);
  rung_info nothing;
  nothing.error = error_rule::none;
  EXPECT_TRUE(std::isinf(reference_of<float>({1, 3}, {1, 1}).allowed_ulps(nothing, config)));
}

TEST(reference, converts_a_bound_to_ulps) {
  rung_info info;
  info.roundings = [](const launch_config&) -> std::uint64_t { return 3; };
  // S = 8, k = n = 3: gamma(3)·8 = 24u/(1 - 3u) and u = 2^-24; the value 4 has an ulp of 2^-21 = 8u
  const auto sum = reference_of<float>({3, -2, 3}, {1, 1, 1});
  EXPECT_EQ(sum.value(), 4);
  EXPECT_NEAR(static_cast<double>(sum.allowed_ulps(info, {.n = 3})), 3, 1e-5);
}

TEST(reference, has_no_bound_if_a_partial_sum_may_overflow) {
  constexpr float largest = std::numeric_limits<float>::max();
  rung_info info;
  EXPECT_TRUE(std::isinf(reference_of<float>({largest, -largest}, {1, 1}).allowed_ulps(info, {.n = 2})));
  EXPECT_FALSE(std::isinf(reference_of<float>({largest / 8, -largest / 8}, {1, 1}).allowed_ulps(info, {.n = 2})));
  info.error = error_rule::in_double;
  EXPECT_FALSE(std::isinf(reference_of<float>({largest, -largest}, {1, 1}).allowed_ulps(info, {.n = 2})));
  info.error = error_rule::in_float;
  EXPECT_TRUE(std::isinf(reference_of<double>({1e39, -1e39}, {1, 1}).allowed_ulps(info, {.n = 2})));
}

TEST(bounds, gamma_matches_its_definition) {
  EXPECT_EQ(exactdot::lab::gamma(0, 0.25L), 0);
  EXPECT_EQ(exactdot::lab::gamma(1, 0.25L), 0.25L / 0.75L);
  EXPECT_EQ(exactdot::lab::gamma(2, 0.25L), 1);
  EXPECT_TRUE(std::isinf(exactdot::lab::gamma(4, 0.25L)));
  EXPECT_TRUE(std::isinf(exactdot::lab::gamma(1e9L, 0x1p-24L)));
}

void expect_bound(error_rule rule, const bound_input& in, long double by_hand) {
  const long double bound = absolute_bound(rule, in);
  EXPECT_NEAR(static_cast<double>(bound / by_hand), 1, 1e-9) << static_cast<double>(bound);
  EXPECT_GE(bound, by_hand);
}

TEST(bounds, match_their_formulas) {
  constexpr long double u = 0x1p-24L, u2 = 0x1p-53L, tiny = 0x1p-149L;
  const bound_input floats{.n = 100, .roundings = 10, .magnitude = 8, .exact = 2, .data_is_float = true};
  bound_input doubles = floats;
  doubles.data_is_float = false;
  expect_bound(error_rule::working, floats, 10 * u / (1 - 10 * u) * 8);
  expect_bound(error_rule::working, doubles, 10 * u2 / (1 - 10 * u2) * 8);
  expect_bound(error_rule::in_float, floats, 10 * u / (1 - 10 * u) * 8);
  expect_bound(error_rule::in_float, doubles, 20 * u / (1 - 20 * u) * 8);
  expect_bound(error_rule::in_double, floats, 80 * u2 + u * (2 + 80 * u2) + tiny);
  expect_bound(error_rule::kahan, floats, (33 * u + 800 * u * u) * 8);
  const long double g = 20 * u / (1 - 20 * u);
  expect_bound(error_rule::neumaier, floats, g * g * 8 + u * (2 + g * g * 8));
  expect_bound(error_rule::correctly_rounded, floats, 2 * u + tiny);
  EXPECT_TRUE(std::isinf(absolute_bound(error_rule::none, floats)));
}

TEST(bounds, use_n_roundings_if_fewer_and_stay_finite_for_long_vectors) {
  constexpr long double u = 0x1p-24L;
  expect_bound(error_rule::working, {.n = 9, .roundings = 1000, .magnitude = 1}, 10 * u);
  expect_bound(error_rule::working, {.n = 1U << 30, .roundings = 0x1p31L, .magnitude = 1}, (0x1p30L + 1) * u);
  expect_bound(error_rule::in_float, {.n = 1U << 24, .roundings = 0x1p24L + 1, .magnitude = 1}, (0x1p24L + 1) * u);
  EXPECT_TRUE(std::isinf(absolute_bound(error_rule::kahan, {.n = 1U << 21, .roundings = 1, .magnitude = 1})));
  EXPECT_FALSE(std::isinf(absolute_bound(error_rule::kahan, {.n = 1U << 20, .roundings = 1, .magnitude = 1})));
}

TEST(bounds, allow_a_few_subnormal_units_per_underflow) {
  EXPECT_EQ(absolute_bound(error_rule::working, {.n = 1, .roundings = 2, .magnitude = 0}),
            8 * 0x1p-149L * (1 + 1e-15L));
}

TEST(ramp, has_a_closed_form_in_integers) {
  EXPECT_EQ(ramp_integer(0), "0");
  EXPECT_EQ(ramp_integer(1), "0");
  EXPECT_EQ(ramp_integer(2), "2");
  EXPECT_EQ(ramp_integer(4), "28");
  EXPECT_EQ(ramp_integer(std::size_t{32} << 20), "25185953449404878815232");
  EXPECT_EQ(ramp_integer(std::size_t{33} << 20), "27621692210002688737280");
  EXPECT_EQ(ramp_integer(std::size_t{1} << 40), "886151997188734989449590444182732800");
}

}  // namespace
