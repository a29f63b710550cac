// What is right, and by how much a rung may be off: values computed by hand.
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
reference<T> right(const std::vector<T>& a, const std::vector<T>& b, operation op = operation::sum) {
  return reference<T>(a, b, op);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(reference, of_a_sum_is_exact) {
  EXPECT_EQ(right<double>({1e200, 1e200, 1}, {1e200, -1e200, 1}).value(), 1);
  EXPECT_EQ(right<float>({0x1p24F, 1, -0x1p24F}, {1, 1, 1}).value(), 1);
  EXPECT_EQ(right<float>({1, 0x1p-12F}, {1, 0x1p-12F}).value(), 1) << "a tie goes to even";
  EXPECT_EQ(right<float>({1, 0x1p-12F, 0x1p-70F}, {1, 0x1p-12F, 0x1p-70F}).value(), 1 + 0x1p-23F);
  EXPECT_EQ(right<double>({1, infinity}, {1, 1}).value(), infinity);
  EXPECT_TRUE(std::isnan(right<double>({infinity, infinity}, {1, -1}).value()));
}

TEST(reference, of_other_operations_is_the_one_right_value) {
  const std::vector<double> a{2, -3, 1, 0.5}, b{3, 3, -1, 4};  // 6, -9, -1, 2
  EXPECT_EQ(right(a, b, operation::sum).value(), -2);
  EXPECT_EQ(right(a, b, operation::min).value(), -9);
  EXPECT_EQ(right(a, b, operation::max).value(), 6);
  EXPECT_EQ(right(a, b, operation::absmax).value(), 9);
  EXPECT_EQ(right(a, b, operation::product).value(), 108);
}

TEST(reference, of_nothing_is_the_identity) {
  EXPECT_EQ(right<float>({}, {}).value(), 0);
  EXPECT_FALSE(std::signbit(right<float>({}, {}).value()));
  EXPECT_EQ(right<double>({}, {}, operation::min).value(), infinity);
  EXPECT_EQ(right<double>({}, {}, operation::max).value(), -infinity);
  EXPECT_EQ(right<double>({}, {}, operation::absmax).value(), 0);
  EXPECT_EQ(right<double>({}, {}, operation::product).value(), 1);
}

TEST(reference, of_a_product_survives_where_a_loop_would_overflow) {
  const auto there_and_back =
      right<float>({0x1p100F, 0x1p100F, 0x1p-100F, 0x1p-90F}, {1, 1, 1, 1}, operation::product);
  EXPECT_EQ(there_and_back.value(), 1024);
  EXPECT_TRUE(std::isinf(there_and_back.ulps_allowed({}, {.n = 4}))) << "in float some order overflows";
  EXPECT_EQ(right<float>({2, 3}, {5, 7}, operation::product).value(), 210);
}

TEST(reference, of_a_product_takes_infinities_and_zeros) {
  EXPECT_EQ(right<float>({3e38F, 2}, {3e38F, -1}, operation::product).value(), -infinity);
  EXPECT_EQ(right<double>({1e-300, 2}, {1e-300, 1}, operation::product).value(), 0);
  EXPECT_TRUE(std::isnan(right<float>({3e38F, 0}, {3e38F, 1}, operation::product).value()));
  EXPECT_TRUE(std::isinf(right<float>({3e38F, 2}, {3e38F, 1}, operation::product).ulps_allowed({}, {.n = 2})));
}

TEST(reference, measures_errors_in_ulps_of_the_right_value) {
  const auto sum = right<float>({1, 0x1p-12F}, {1, 0x1p-12F});  // 1 + 2^-24
  EXPECT_EQ(sum.ulps_off(1), 0.5L);
  EXPECT_EQ(sum.ulps_off(1 + 0x1p-23F), 0.5L);
  EXPECT_EQ(sum.ulps_off(1 + 0x1p-22F), 1.5L);
  EXPECT_TRUE(std::isnan(sum.ulps_off(std::numeric_limits<float>::quiet_NaN())));
  const auto most = right<double>({1, 3}, {1, 1}, operation::max);
  EXPECT_EQ(most.ulps_off(3), 0);
  EXPECT_EQ(most.ulps_off(3 - 0x1p-51), 1);
  EXPECT_TRUE(std::isnan(most.ulps_off(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(right<double>({}, {}, operation::max).ulps_off(0)));
  EXPECT_EQ(right<double>({}, {}, operation::max).ulps_off(-infinity), 0);
}

TEST(reference, allows_nothing_to_what_rounds_nothing_and_half_an_ulp_to_what_rounds_once) {
  const shape size{.n = 2};
  for (const operation op : {operation::min, operation::max, operation::absmax}) {
    EXPECT_EQ(right<float>({1, 3}, {1, 1}, op).ulps_allowed({}, size), 0);
  }
  rung_info rounded;
  rounded.error = error_rule::correctly_rounded;
  EXPECT_EQ(right<float>({1, 3}, {1, 1}).ulps_allowed(rounded, size), 0.5L);
  rung_info nothing;
  nothing.error = error_rule::none;
  EXPECT_TRUE(std::isinf(right<float>({1, 3}, {1, 1}).ulps_allowed(nothing, size)));
}

TEST(reference, turns_a_bound_into_ulps) {
  rung_info info;
  info.roundings = [](const shape&) -> std::uint64_t { return 3; };
  // S = 8, k = n = 3: gamma(3)·8 = 24u/(1 - 3u) and u = 2^-24; the value 4 has an ulp of 2^-21 = 8u
  const auto sum = right<float>({3, -2, 3}, {1, 1, 1});
  EXPECT_EQ(sum.value(), 4);
  EXPECT_NEAR(static_cast<double>(sum.ulps_allowed(info, {.n = 3})), 3, 1e-5);
}

TEST(reference, promises_nothing_where_a_partial_sum_may_overflow) {
  constexpr float most = std::numeric_limits<float>::max();
  rung_info info;
  EXPECT_TRUE(std::isinf(right<float>({most, -most}, {1, 1}).ulps_allowed(info, {.n = 2})));
  EXPECT_FALSE(std::isinf(right<float>({most / 8, -most / 8}, {1, 1}).ulps_allowed(info, {.n = 2})));
  info.error = error_rule::in_double;
  EXPECT_FALSE(std::isinf(right<float>({most, -most}, {1, 1}).ulps_allowed(info, {.n = 2})));
  info.error = error_rule::in_float;
  EXPECT_TRUE(std::isinf(right<double>({1e39, -1e39}, {1, 1}).ulps_allowed(info, {.n = 2})));
}

TEST(bounds, gamma_is_the_textbooks) {
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

TEST(bounds, are_what_their_formulas_give_by_hand) {
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

TEST(bounds, take_n_roundings_where_they_are_fewer_and_stay_finite_for_long_vectors) {
  constexpr long double u = 0x1p-24L;
  expect_bound(error_rule::working, {.n = 9, .roundings = 1000, .magnitude = 1}, 10 * u);
  expect_bound(error_rule::working, {.n = 1U << 30, .roundings = 0x1p31L, .magnitude = 1}, (0x1p30L + 1) * u);
  expect_bound(error_rule::in_float, {.n = 1U << 24, .roundings = 0x1p24L + 1, .magnitude = 1}, (0x1p24L + 1) * u);
  EXPECT_TRUE(std::isinf(absolute_bound(error_rule::kahan, {.n = 1U << 21, .roundings = 1, .magnitude = 1})));
  EXPECT_FALSE(std::isinf(absolute_bound(error_rule::kahan, {.n = 1U << 20, .roundings = 1, .magnitude = 1})));
}

TEST(bounds, of_underflow_are_a_few_smallest_subnormals_each) {
  EXPECT_EQ(absolute_bound(error_rule::working, {.n = 1, .roundings = 2, .magnitude = 0}),
            8 * 0x1p-149L * (1 + 1e-15L));
}

TEST(ramp, has_its_truth_in_integers) {
  EXPECT_EQ(ramp_integer(0), "0");
  EXPECT_EQ(ramp_integer(1), "0");
  EXPECT_EQ(ramp_integer(2), "2");
  EXPECT_EQ(ramp_integer(4), "28");
  EXPECT_EQ(ramp_integer(std::size_t{32} << 20), "25185953449404878815232");
  EXPECT_EQ(ramp_integer(std::size_t{33} << 20), "27621692210002688737280");
  EXPECT_EQ(ramp_integer(std::size_t{1} << 40), "886151997188734989449590444182732800");
}

}  // namespace
