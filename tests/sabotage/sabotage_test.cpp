// The checker must reject every wrong dot, and accept the right one.
//
// It is the same checker, fed through the same function type, as in all other tests: one that lets a NaN or a
// dropped tail pass would let it pass everywhere.
#include <gtest/gtest.h>

#include "oracle/cases.hpp"
#include "sabotage/wrong_dots.hpp"

namespace {

using namespace oracle;
using namespace sabotage;

template <class T>
vectors<T> typical(std::size_t n = 1003) {
  rng random(1);
  return generator_named<T>("uniform").make(random, n);
}

template <class R, class T>
void expect_rejected(R (*dot)(const T*, const T*, std::size_t), const vectors<T>& data) {
  const checker<T> check(data);
  EXPECT_EQ(check.template exact_fault<R>(dot_function<R, T>(right<R, T>)), "");
  EXPECT_NE(check.template exact_fault<R>(dot_function<R, T>(dot)), "");
}

template <class T>
void expect_fast_rejected(T (*dot)(const T*, const T*, std::size_t), const vectors<T>& data) {
  const checker<T> check(data);
  EXPECT_EQ(check.template fast_fault<T>(dot_function<T, T>(right_fast<T, T>)), "");
  EXPECT_NE(check.template fast_fault<T>(dot_function<T, T>(dot)), "");
}

template <class T>
class rejected : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(rejected, element_types);

TYPED_TEST(rejected, not_a_number_for_a_number) {
  expect_rejected(not_a_number<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(not_a_number<double, TypeParam>, {});
}

TYPED_TEST(rejected, a_dropped_tail) {
  expect_rejected(without_tail<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(without_last<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(without_last<TypeParam, TypeParam>, typical<TypeParam>(1));
}

TYPED_TEST(rejected, a_term_too_many) { expect_rejected(one_too_many<TypeParam, TypeParam>, typical<TypeParam>()); }

TYPED_TEST(rejected, one_ulp) {
  for (const char* name : {"uniform", "log_uniform", "all_subnormal", "tie_normal", "near_least_subnormal"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 1, 50);
    if (!std::isfinite(one.check.exact_result().as_double)) continue;
    expect_rejected(one_ulp_up<double, TypeParam>, one.check.data());
    expect_rejected(one_ulp_down<double, TypeParam>, one.check.data());
    expect_rejected(one_ulp_down<float, TypeParam>, one.check.data());
  }
}

TYPED_TEST(rejected, the_wrong_sign_of_zero) {
  expect_rejected(other_sign<TypeParam, TypeParam>, {});
  expect_rejected(other_sign<TypeParam, TypeParam>, {{1, 1}, {1, -1}});
}

TYPED_TEST(rejected, the_wrong_sign_of_infinity) {
  expect_rejected(other_sign<TypeParam, TypeParam>, {{std::numeric_limits<TypeParam>::infinity()}, {1}});
}

TYPED_TEST(rejected, a_nan_of_the_wrong_sign_or_payload) {
  using bits = format<TypeParam>;
  const TypeParam with_payload = from_bits<TypeParam>(bits::quiet_nan | 5);
  const TypeParam negative = from_bits<TypeParam>(bits::quiet_nan | bits::sign);
  expect_rejected(first_input<TypeParam, TypeParam>, {{with_payload}, {1}});
  expect_rejected(first_input<TypeParam, TypeParam>, {{negative}, {1}});
  expect_rejected(other_sign<TypeParam, TypeParam>, {{with_payload}, {1}});
  expect_fast_rejected<TypeParam>(first_input<TypeParam, TypeParam>, {{with_payload}, {1}});
}

TYPED_TEST(rejected, rounding_to_double_before_float) {
  // 1 + 2^-24 is a tie of float, 2^-60 lifts the sum above it, and double cannot hold that bit.
  const vectors<TypeParam> trap = {{1, 0x1p-24f, 0x1p-30f}, {1, 1, 0x1p-30f}};
  expect_rejected(rounded_twice<float, TypeParam>, trap);
}

TYPED_TEST(rejected, approximations) {
  for (const char* name : {"ill_beyond", "huge_pair_and_one", "many_tiny_products"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 1, 500);
    expect_rejected(plain_loop<TypeParam, TypeParam>, one.check.data());
    expect_rejected(compensated<TypeParam, TypeParam>, one.check.data());
  }
}

TYPED_TEST(rejected, an_exception) { expect_rejected(throws<TypeParam, TypeParam>, typical<TypeParam>()); }

/// On ill-conditioned data, where every order gives other bits.
TYPED_TEST(rejected, another_order_in_mode_fast) {
  const auto ill = make_case(generator_named<TypeParam>("ill_beyond"), 1, 5000);
  expect_fast_rejected<TypeParam>(halves_swapped<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(sequential<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(right<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(not_a_number<TypeParam, TypeParam>, ill.check.data());
}

/// Over the whole table: what is near enough for most data is caught by some row.
TYPED_TEST(rejected, by_the_generators_together) {
  int compensated_caught = 0, twice_caught = 0, tail_caught = 0;
  const std::array<std::size_t, 2> lengths = {3, 301};
  for_each_case<TypeParam>(
      lengths, 10,
      [&](const test_case<TypeParam>& one) {
        using dot = dot_function<TypeParam, TypeParam>;
        compensated_caught +=
            !one.check.template exact_fault<TypeParam>(dot(compensated<TypeParam, TypeParam>)).empty();
        tail_caught += !one.check.template exact_fault<TypeParam>(dot(without_last<TypeParam, TypeParam>)).empty();
        const dot_function<float, TypeParam> twice = rounded_twice<float, TypeParam>;
        twice_caught += !one.check.template exact_fault<float>(twice).empty();
      },
      [] { return false; });
  EXPECT_GT(compensated_caught, 100);
  EXPECT_GT(tail_caught, 100);
  EXPECT_GT(twice_caught, 5);
}

}  // namespace
