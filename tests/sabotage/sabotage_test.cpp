// The checker must reject every wrong dot product and accept the correct one.
//
// All other tests use the same checker and the same function type. A checker that accepts a NaN or a missing term
// here would accept it in every test.
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
  EXPECT_EQ(check.template exact_fault<R>(dot_function<R, T>(correct<R, T>)), "");
  EXPECT_NE(check.template exact_fault<R>(dot_function<R, T>(dot)), "");
}

template <class T>
void expect_fast_rejected(T (*dot)(const T*, const T*, std::size_t), const vectors<T>& data) {
  const checker<T> check(data);
  EXPECT_EQ(check.template fast_fault<T>(dot_function<T, T>(correct_fast<T, T>)), "");
  EXPECT_NE(check.template fast_fault<T>(dot_function<T, T>(dot)), "");
}

template <class T>
class checker_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(checker_test, element_types);

TYPED_TEST(checker_test, rejects_a_nan_instead_of_a_number) {
  expect_rejected(always_nan<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(always_nan<double, TypeParam>, {});
}

TYPED_TEST(checker_test, rejects_missing_terms) {
  expect_rejected(without_remainder<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(without_last_term<TypeParam, TypeParam>, typical<TypeParam>());
  expect_rejected(without_last_term<TypeParam, TypeParam>, typical<TypeParam>(1));
}

TYPED_TEST(checker_test, rejects_an_extra_term) {
  expect_rejected(with_extra_term<TypeParam, TypeParam>, typical<TypeParam>());
}

TYPED_TEST(checker_test, rejects_an_error_of_one_ulp) {
  for (const char* name : {"uniform", "log_uniform", "all_subnormal", "tie_normal", "near_least_subnormal"}) {
    const auto test = make_case(generator_named<TypeParam>(name), 1, 50);
    if (!std::isfinite(test.check.exact_result().as_double)) continue;
    expect_rejected(ulp_too_high<double, TypeParam>, test.check.data());
    expect_rejected(ulp_too_low<double, TypeParam>, test.check.data());
    expect_rejected(ulp_too_low<float, TypeParam>, test.check.data());
  }
}

TYPED_TEST(checker_test, rejects_the_wrong_sign_of_zero) {
  expect_rejected(negated<TypeParam, TypeParam>, {});
  expect_rejected(negated<TypeParam, TypeParam>, {{1, 1}, {1, -1}});
}

TYPED_TEST(checker_test, rejects_the_wrong_sign_of_infinity) {
  expect_rejected(negated<TypeParam, TypeParam>, {{std::numeric_limits<TypeParam>::infinity()}, {1}});
}

TYPED_TEST(checker_test, rejects_a_nan_with_the_wrong_sign_or_payload) {
  using number = format<TypeParam>;
  const TypeParam with_payload = from_bits<TypeParam>(number::quiet_nan | 5);
  const TypeParam negative = from_bits<TypeParam>(number::quiet_nan | number::sign);
  expect_rejected(first_element<TypeParam, TypeParam>, {{with_payload}, {1}});
  expect_rejected(first_element<TypeParam, TypeParam>, {{negative}, {1}});
  expect_rejected(negated<TypeParam, TypeParam>, {{with_payload}, {1}});
  expect_fast_rejected<TypeParam>(first_element<TypeParam, TypeParam>, {{with_payload}, {1}});
}

TYPED_TEST(checker_test, rejects_rounding_to_double_before_float) {
  // 1 + 2^-24 is a tie of float; 2^-60 makes the sum larger, but is not representable in its rounding to double.
  const vectors<TypeParam> above_tie = {{1, 0x1p-24f, 0x1p-30f}, {1, 1, 0x1p-30f}};
  expect_rejected(rounded_twice<float, TypeParam>, above_tie);
}

TYPED_TEST(checker_test, rejects_approximations) {
  for (const char* name : {"ill_beyond", "huge_pair_and_one", "many_tiny_products"}) {
    const auto test = make_case(generator_named<TypeParam>(name), 1, 500);
    expect_rejected(plain_loop<TypeParam, TypeParam>, test.check.data());
    expect_rejected(compensated<TypeParam, TypeParam>, test.check.data());
  }
}

TYPED_TEST(checker_test, rejects_an_exception) {
  expect_rejected(throws_exception<TypeParam, TypeParam>, typical<TypeParam>());
}

/// The data are ill-conditioned, so that every order gives different bits.
TYPED_TEST(checker_test, rejects_another_order_in_mode_fast) {
  const auto ill = make_case(generator_named<TypeParam>("ill_beyond"), 1, 5000);
  expect_fast_rejected<TypeParam>(halves_exchanged<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(sequential<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(correct<TypeParam, TypeParam>, ill.check.data());
  expect_fast_rejected<TypeParam>(always_nan<TypeParam, TypeParam>, ill.check.data());
}

/// Dot products that are correct for most data fail for the data of some generators.
TYPED_TEST(checker_test, rejects_rarely_wrong_dots_with_the_generators_data) {
  int compensated_rejected = 0, twice_rejected = 0, missing_rejected = 0;
  const std::array<std::size_t, 2> lengths = {3, 301};
  for_each_case<TypeParam>(
      lengths, 10,
      [&](const test_case<TypeParam>& test) {
        using dot = dot_function<TypeParam, TypeParam>;
        compensated_rejected +=
            !test.check.template exact_fault<TypeParam>(dot(compensated<TypeParam, TypeParam>)).empty();
        missing_rejected +=
            !test.check.template exact_fault<TypeParam>(dot(without_last_term<TypeParam, TypeParam>)).empty();
        const dot_function<float, TypeParam> twice = rounded_twice<float, TypeParam>;
        twice_rejected += !test.check.template exact_fault<float>(twice).empty();
      },
      [] { return false; });
  EXPECT_GT(compensated_rejected, 100);
  EXPECT_GT(missing_rejected, 100);
  EXPECT_GT(twice_rejected, 5);
}

}  // namespace
