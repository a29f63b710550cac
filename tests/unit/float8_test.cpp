// 8-bit floats, as far as there are few enough to look at all: every code, every pair, every rounding of a float16 and
// every tie. The oracle decodes and rounds in integers of GMP, from the definition of the formats; tests/python compares
// the same with ml_dtypes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <set>
#include <vector>

#include "oracle/integer_sum.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace exactdot;

template <class T>
class float8 : public testing::Test {};
using types = testing::Types<float8_e4m3fn, float8_e5m2>;
TYPED_TEST_SUITE(float8, types);

template <class T>
T from_code(unsigned code) {
  return std::bit_cast<T>(static_cast<std::uint8_t>(code));
}

template <class T>
constexpr bool is_e4m3 = std::is_same_v<T, float8_e4m3fn>;

/// By the definition: 1 sign bit, an exponent field of bias 7 or 15, 3 or 2 bits of the fraction.
template <class T>
double value_by_definition(unsigned code) {
  constexpr int stored = is_e4m3<T> ? 3 : 2, bias = is_e4m3<T> ? 7 : 15;
  const int field = static_cast<int>(code & 0x7f) >> stored, fraction = static_cast<int>(code) & ((1 << stored) - 1);
  const double sign = code >> 7 != 0 ? -1 : 1;
  if (is_e4m3<T> && (code & 0x7f) == 0x7f) return NAN;
  if (!is_e4m3<T> && field == 31) return fraction == 0 ? sign * HUGE_VAL : NAN;
  if (field == 0) return sign * std::ldexp(fraction, 1 - bias - stored);
  return sign * std::ldexp((1 << stored) + fraction, field - bias - stored);
}

template <class T>
bool is_same(T x, double expected) {
  const auto found = static_cast<double>(static_cast<float>(x));
  return std::isnan(expected) ? std::isnan(found) : oracle::same_bits(found, expected);
}

TYPED_TEST(float8, has_the_values_of_its_definition) {
  for (unsigned code = 0; code < 256; ++code) {
    const auto x = from_code<TypeParam>(code);
    const double expected = value_by_definition<TypeParam>(code);
    ASSERT_TRUE(is_same(x, expected)) << code;
    const std::array<TypeParam, 1> vector = {x};
    const double found = sum<double>(vector), zero = expected == 0 ? 0 : expected;  // a sum of -0 is +0
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(found) : oracle::same_bits(found, zero)) << code;
    if (std::isnan(expected)) continue;
    ASSERT_EQ(TypeParam(static_cast<float>(x)).bits, code);
  }
  using limits = std::set<double>;
  EXPECT_EQ((limits{value_by_definition<TypeParam>(0x7b), value_by_definition<TypeParam>(0x7e),
                    value_by_definition<TypeParam>(1)}
                 .count(is_e4m3<TypeParam> ? 448 : 57344)),
            1u);
}

/// The bits of a number rounded to the format, by the oracle.
template <class T>
unsigned rounded(double x) {
  const element_info& info = info_of(type_of<T>);
  if (x == 0) return std::signbit(x) ? 0x80 : 0;
  int exponent = 0;
  const auto significand = static_cast<long>(std::ldexp(std::frexp(x, &exponent), 53));
  return static_cast<unsigned>(
      oracle::round_number(mpz_class(significand), exponent - 53, info.precision, info.exponent_bits));
}

template <class T>
void expect_rounding(float x) {
  ASSERT_EQ(T(x).bits, rounded<T>(static_cast<double>(x))) << x;
  const std::array<float, 1> vector = {x};
  const unsigned of_sum = x == 0 ? 0 : rounded<T>(static_cast<double>(x));
  ASSERT_EQ(sum<T>(vector).bits, of_sum) << x;
  ASSERT_EQ(sum<T>(vector, {.mode = mode::fast}).bits, of_sum) << x;
}

TYPED_TEST(float8, is_rounded_as_the_oracle_rounds_every_float16) {
  for (unsigned code = 0; code < 65536; ++code) {
    const float x = std::bit_cast<float16>(static_cast<std::uint16_t>(code));
    if (std::isfinite(x)) expect_rounding<TypeParam>(x);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(float8, is_rounded_at_ties_and_beside_them) {
  for (unsigned code = 0; code < 0x7f; ++code) {
    const double low = value_by_definition<TypeParam>(code), high = value_by_definition<TypeParam>(code + 1);
    // beyond the largest number the tie is that with the number that would come next
    const double step = low - value_by_definition<TypeParam>(code == 0 ? 0 : code - 1);
    const double tie = std::isfinite(high) ? (low + high) / 2 : low + step / 2;
    if (!std::isfinite(tie)) break;
    for (const double sign : {1.0, -1.0}) {
      const auto middle = static_cast<float>(sign * tie);
      for (const float x : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 2 * middle)}) {
        expect_rounding<TypeParam>(x);
        const std::array<double, 2> beside = {static_cast<double>(x), std::ldexp(sign, -1000)};  // decided far below
        const unsigned above = rounded<TypeParam>(std::nextafter(static_cast<double>(x), sign * HUGE_VAL));
        ASSERT_EQ(sum<TypeParam>(beside).bits, above) << x;
      }
    }
  }
}

TEST(float8_of_4_exponent_bits, has_nan_for_infinity) {
  const auto bits = [](float x) { return unsigned{float8_e4m3fn(x).bits}; };
  EXPECT_EQ(bits(448), 0x7eu);
  EXPECT_EQ(bits(464), 0x7eu) << "a tie, to even";
  EXPECT_EQ(bits(std::nextafter(464.0F, 500.0F)), 0x7fu);
  EXPECT_EQ(bits(-480), 0xffu);
  EXPECT_EQ(bits(-INFINITY), 0xffu);
  EXPECT_EQ(bits(NAN), 0x7fu);
  const std::vector<float> x = {-300, -200}, infinite = {1, -INFINITY}, nan = {-NAN};
  EXPECT_EQ(sum<float8_e4m3fn>(x).bits, 0xff);
  EXPECT_EQ(sum<float8_e4m3fn>(infinite).bits, 0xff);
  EXPECT_EQ(sum<float8_e4m3fn>(nan).bits, 0x7f) << "the canonical NaN";
  EXPECT_EQ(sum<float8_e5m2>(nan).bits, 0x7e);
  EXPECT_EQ(sum<float8_e5m2>(infinite).bits, 0xfc);
  const std::vector<float8_e4m3fn> elements = {float8_e4m3fn(-448), float8_e4m3fn(-18)};
  EXPECT_EQ(sum(elements).bits, 0xff);
  EXPECT_EQ(sum<float>(elements), -466);
  EXPECT_EQ(mean(elements).bits, float8_e4m3fn(-233.0F).bits);
}

template <class T>
void expect_result(reduction what, const std::array<T, 2>& x, const std::array<T, 1>& y, const std::array<T, 1>& z) {
  const bool two = what == reduction::dot;
  const any_vector a = two ? to_any(y) : to_any(x), b = two ? to_any(z) : a;
  const oracle::reference expected(what, a, b, 0);
  for (const element_type result : {type_of<T>, element_type::float32, element_type::float16}) {
    if (gives_element(what) && result != type_of<T>) continue;
    const element_type type = gives_index(what) ? element_type::int64 : result;
    const any_scalar found = two ? dot(a, b, type) : reduce(what, a, type);
    ASSERT_EQ(oracle::difference(*expected.exact(type), found), "") << name_of(what) << ' ' << +x[0].bits << ' ' << +x[1].bits;
  }
}

/// Products and sums of every pair, the extreme one, and its index: NaN wins, -0 < +0.
TYPED_TEST(float8, pairs_have_the_results_of_the_oracle) {
  for (unsigned i = 0; i < 256; ++i) {
    for (unsigned k = 0; k < 256; ++k) {
      const auto a = from_code<TypeParam>(i), b = from_code<TypeParam>(k);
      for (const reduction what : {reduction::dot, reduction::sum, reduction::min, reduction::argmax})
        expect_result<TypeParam>(what, {a, b}, {a}, {b});
      if (this->HasFailure()) return;
    }
  }
}

/// Elements of the accumulators' operators and of single products.
TYPED_TEST(float8, numbers_join_accumulators) {
  for (unsigned code = 0; code < 256; ++code) {
    const auto x = from_code<TypeParam>(code);
    const double value = value_by_definition<TypeParam>(code);
    accumulator<TypeParam> sum;
    accumulator<double> wide;
    sum.add(x), sum.add(x, from_code<TypeParam>(1)), wide += x;
    const double least = value_by_definition<TypeParam>(1);
    ASSERT_TRUE(std::isfinite(value) ? sum.template round<double>() == value + value * least
                                     : is_same(TypeParam(sum.template round<float>()), value)) << code;
    ASSERT_TRUE(is_same(wide.round<TypeParam>(), value == 0 ? 0 : value)) << code;
  }
}

}  // namespace
