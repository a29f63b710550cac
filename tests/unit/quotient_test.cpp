// Quotients of two accumulators: correctly rounded for every pair of states and every result type.
//
// The oracle divides the same integers with GMP. The states are random, of few and of many limbs, of digits that
// make a long division correct itself, and such that the quotient is a tie, next to one, subnormal or too large.
#include "oracle/quotient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"

namespace {

using namespace oracle;
using exactdot::accumulator;

/// The value of a state in units of 2^-2148.
template <class T>
mpz_class units_of(const accumulator<T>& sum) {
  return units_of_limbs(sum.words().first(accumulator<T>::limb_count), accumulator<T>::lowest_exponent);
}

template <class R>
std::uint64_t bits_of(R x) {
  return exactdot::detail::to_word(x);
}

template <class R, class T, class U>
void expect_rounded(const accumulator<T>& a, const accumulator<U>& b, const std::string& name) {
  const exactdot::element_info& info = exactdot::info_of(exactdot::type_of<R>);
  const std::uint64_t expected = round_ratio(units_of(a), units_of(b), 0, info.precision, info.exponent_bits);
  EXPECT_EQ(bits_of(exactdot::quotient<R>(a, b)), expected) << name << " to " << info.name;
}

template <class T, class U>
void expect_quotient(const accumulator<T>& a, const accumulator<U>& b, const std::string& name) {
  if (units_of(b) == 0) return;
  expect_rounded<float>(a, b, name), expect_rounded<double>(a, b, name);
  expect_rounded<exactdot::float16>(a, b, name), expect_rounded<exactdot::bfloat16>(a, b, name);
  expect_rounded<exactdot::float8_e4m3fn>(a, b, name), expect_rounded<exactdot::float8_e5m2>(a, b, name);
  const exactdot::scaled_double scaled = exactdot::quotient_scaled(a, b);
  if (std::abs(scaled.exponent) < 1000) {
    EXPECT_EQ(bits_of(std::ldexp(scaled.significand, static_cast<int>(scaled.exponent))),
              bits_of(exactdot::quotient<double>(a, b)))
        << name << " scaled";
  }
}

/// Words whose limbs are random, or hold only the digits that a long division meets as limits.
template <class T>
accumulator<T> random_words(rng& random) {
  std::vector<std::int64_t> words(accumulator<T>::word_count, 0);
  constexpr int last = static_cast<int>(accumulator<T>::limb_count) - 2;
  const int low = random.between(0, last), high = random.between(low, std::min(last, low + random.between(0, 9)));
  constexpr std::uint64_t limits[] = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  const bool limiting = random.coin();
  for (int i = low; i <= high; ++i) {
    words[static_cast<std::size_t>(i)] =
        static_cast<std::int64_t>(limiting ? limits[random.below(7)] : random.bits() >> 32);
  }
  words.back() = 1;
  accumulator<T> sum(words);
  return random.coin() ? sum : -sum;
}

template <class T>
class quotients : public testing::Test {};
using state_types =
    testing::Types<float, double, std::int32_t, std::uint64_t, exactdot::float16, exactdot::bfloat16>;
TYPED_TEST_SUITE(quotients, state_types);

TYPED_TEST(quotients, of_zero_have_the_product_of_the_signs) {
  const accumulator<TypeParam> zero;
  accumulator<TypeParam> divisor;
  divisor.add(static_cast<TypeParam>(5));
  accumulator<double> infinite;
  infinite.add(INFINITY);
  const auto expect_zero = [](auto quotient, bool negative) {
    EXPECT_EQ(quotient, 0);
    EXPECT_EQ(std::signbit(quotient), negative);
  };
  expect_zero(exactdot::quotient<double>(zero, divisor), false);
  expect_zero(exactdot::quotient<double>(zero, -divisor), true);
  expect_zero(exactdot::quotient<float>(zero, -divisor), true);
  expect_zero(exactdot::quotient<double>(zero, infinite), false);
  expect_zero(exactdot::quotient<double>(zero, -infinite), true);
  expect_zero(exactdot::quotient_scaled(zero, -divisor).significand, true);
}

TYPED_TEST(quotients, of_random_states_are_rounded_once) {
  rng random(1);
  const int count = scaled(4000);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const auto a = random_words<TypeParam>(random), b = random_words<TypeParam>(random);
    const std::string name = "case " + std::to_string(i);
    expect_quotient(a, b, name);
    expect_quotient(a, random_words<double>(random), name + " over double");
    expect_quotient(random_words<float>(random), b, name + " of float");
  }
}

/// a = b·m with an m of one bit more than R holds, and the sums next to it.
template <class R>
void expect_ties(int low, int high) {
  rng random(2);
  const int precision = format<R>::precision;
  const int count = scaled(2000);
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const double b = random_between<double>(random, -200, 200);
    const std::uint64_t leading = std::uint64_t{1} << precision;
    const std::uint64_t m = leading | (random.bits() & (leading - 1)) | 1;
    const int exponent = random.between(low, high);
    accumulator<double> dividend, divisor, least;
    // m has up to 54 bits: its upper and its lower part
    dividend.add(std::ldexp(static_cast<double>(m >> 20), exponent + 20), b);
    dividend.add(std::ldexp(static_cast<double>(m & 0xfffff), exponent), b);
    divisor.add(b);
    least.add(std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::denorm_min());
    const std::string name = "case " + std::to_string(i);
    expect_quotient(dividend, divisor, name + ", a tie");
    expect_quotient(dividend + least, divisor, name + ", above");
    expect_quotient(dividend - least, divisor, name + ", below");
    expect_quotient(-dividend, divisor, name + ", a negative tie");
  }
}

TEST(quotient, of_ties_is_even) {
  expect_ties<float>(-60, 60);
  expect_ties<double>(-200, 200);
}
/// The same by divisors of many limbs: what tells a sum from a tie is in the remainder alone.
TEST(quotient, of_ties_of_long_sums_is_even) {
  rng random(7);
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (int i = 0; i < scaled(2000) && !testing::Test::HasFailure(); ++i) {
    const double b = random_between<double>(random, -200, 200);
    const bool narrow = random.coin();
    const int precision = narrow ? format<float>::precision : format<double>::precision;
    const std::uint64_t leading = std::uint64_t{1} << precision;
    const std::uint64_t m = leading | (random.bits() & (leading - 1)) | 1;
    accumulator<double> dividend, divisor;
    divisor.add(b), divisor.add(tiny);
    for (const double each : {b, tiny}) {
      dividend.add(std::ldexp(static_cast<double>(m >> 20), 20), each);
      dividend.add(static_cast<double>(m & 0xfffff), each);
    }
    const std::string name = "case " + std::to_string(i);
    expect_quotient(dividend, divisor, name + ", a tie");
    expect_quotient(dividend + tiny, divisor, name + ", above");
    expect_quotient(dividend - tiny, divisor, name + ", below");
  }
}
TEST(quotient, is_subnormal_where_it_must_be) {
  expect_ties<float>(-24 - 149, -24 - 126);
  expect_ties<double>(-53 - 700, -53 - 690);
  // quotients below 2^-1022: of a small and a large sum
  rng random(3);
  for (int i = 0; i < scaled(2000) && !testing::Test::HasFailure(); ++i) {
    accumulator<double> a, b;
    a.add(random_between<double>(random, -600, -500)), b.add(random_between<double>(random, 430, 560));
    expect_quotient(a, b, "case " + std::to_string(i));
  }
}
TEST(quotient, overflows_to_infinity) {
  rng random(4);
  for (int i = 0; i < scaled(2000) && !testing::Test::HasFailure(); ++i) {
    accumulator<double> a, b;
    a.add(random_between<double>(random, 500, 520)), b.add(random_between<double>(random, -510, -500));
    expect_quotient(a, b, "case " + std::to_string(i));
    accumulator<float> c, d;
    c.add(random_between<float>(random, 60, 70)), d.add(random_between<float>(random, -65, -55));
    expect_quotient(c, d, "float " + std::to_string(i));
  }
  accumulator<double> large, small;
  large.add(1e300), small.add(1e-300);
  EXPECT_EQ(exactdot::quotient<double>(large, small), INFINITY);
  EXPECT_EQ(exactdot::quotient_scaled(large, small).exponent, 1993);  // 1e600 = 1.… · 2^1993
}

/// IEEE 754's division of the sums, of which zero is +0.
TEST(quotient, of_special_values_is_that_of_ieee_754) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {0, 1, -1, 3, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (const double x : values) {
    for (const double y : values) {
      accumulator<double> a, b;
      a.add(x), b.add(y);
      double expected = x / y;
      if (std::isnan(expected)) expected = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(bits_of(exactdot::quotient<double>(a, b)), bits_of(expected)) << x << '/' << y;
      EXPECT_EQ(bits_of(exactdot::quotient<float>(a, b)), bits_of(static_cast<float>(expected))) << x << '/' << y;
      const auto scaled = exactdot::quotient_scaled(a, b);
      const bool is_special = !std::isfinite(expected) || expected == 0;
      EXPECT_TRUE(!is_special || bits_of(scaled.significand) == bits_of(expected)) << x << '/' << y;
    }
  }
}

/// The weighted mean that a quotient of two roundings misses.
TEST(quotient, gives_weighted_means) {
  const std::vector<double> x = {.1, .1}, w = {1, 2};
  accumulator<double> products, weights;
  products.add(x, w), weights.add(w);
  EXPECT_EQ(exactdot::quotient<double>(products, weights), .1);
  accumulator<std::int64_t> counts;
  counts.add(3);
  EXPECT_EQ(exactdot::quotient<double>(products, counts), .1);
}

}  // namespace
