// Tests of the oracles and of the generators.
//
// The oracles agree with each other, with known values and at the limits of rounding. The generators produce the
// data that their names promise: without ties, for example, an engine that rounds ties wrongly would pass all
// tests.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "oracle/cases.hpp"
#include "oracle/generators/prescribed_sum.hpp"
#include "oracle/order_v1.hpp"

namespace {

using namespace oracle;

template <class T>
class oracles : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(oracles, element_types);

TYPED_TEST(oracles, agree_on_every_generator) {
  for_each_case<TypeParam>(
      border_lengths, scaled(10),
      [](const test_case<TypeParam>& test) { EXPECT_EQ(test.check.oracle_fault(), "") << test.name; },
      testing::Test::HasFailure);
}

TYPED_TEST(oracles, agree_on_plain_sums) {
  for_each_case<TypeParam>(
      std::array<std::size_t, 4>{1, 2, 17, 300}, scaled(5),
      [](const test_case<TypeParam>& test) {
        const std::span<const TypeParam> x = test.check.data().a;
        const exact_value gmp = exact_sum<integer_sum>(x);
        const exact_value mpfr = exact_sum<wide_sum>(x);
        EXPECT_EQ(difference(mpfr.as_float, gmp.as_float), "") << test.name;
        EXPECT_EQ(difference(mpfr.as_double, gmp.as_double), "") << test.name;
      },
      testing::Test::HasFailure);
}

/// Random numbers of all binades, the midpoints between them and their successors, and the neighbours of midpoints.
TYPED_TEST(oracles, round_every_number_to_itself_and_ties_to_even) {
  using number = format<TypeParam>;
  rng random(1);
  for (int i = 0; i < scaled(20000); ++i) {
    const TypeParam x =
        std::abs(random_between<TypeParam>(random, number::lowest_exponent, number::highest_exponent - 2));
    const TypeParam next = from_bits<TypeParam>(static_cast<typename number::bits>(to_bits(x) + 1));
    const decomposed integer_x = decompose(x);
    const mpz_class exact = units(integer_x.mantissa, integer_x.exponent);
    const mpz_class half = units(1, integer_x.exponent - 1);
    const TypeParam even = integer_x.mantissa % 2 == 0 ? x : next;
    EXPECT_EQ(difference(x, round_units<TypeParam>(exact)), "");
    EXPECT_EQ(difference(even, round_units<TypeParam>(exact + half)), "");
    EXPECT_EQ(difference(x, round_units<TypeParam>(exact + half - 1)), "");
    EXPECT_EQ(difference(next, round_units<TypeParam>(exact + half + 1)), "");
    EXPECT_EQ(difference(-next, round_units<TypeParam>(-exact - half - 1)), "");
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(oracles, overflow_at_and_above_the_threshold) {
  using number = format<TypeParam>;
  constexpr TypeParam largest = std::numeric_limits<TypeParam>::max();
  const mpz_class threshold =
      units((mpz_class(1) << (number::precision + 1)) - 1, number::highest_exponent - number::precision - 1);
  EXPECT_EQ(difference(largest, round_units<TypeParam>(threshold - 1)), "");
  EXPECT_EQ(difference(from_bits<TypeParam>(number::infinity), round_units<TypeParam>(threshold)), "");
  EXPECT_EQ(difference(-largest, round_units<TypeParam>(-threshold + 1)), "");
}

TEST(generators, have_unique_names_and_return_the_requested_number_of_terms) {
  std::set<std::string_view> names;
  for (const auto& source : generators<double>()) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    rng random(3);
    const auto v = source.make(random, 5000);
    EXPECT_EQ(v.a.size(), v.b.size()) << source.name;
    EXPECT_EQ(v.size(), 5000u) << source.name;
  }
  EXPECT_EQ(names.size(), generators<float>().size());
}

/// Counts the kinds of results over many cases: a kind that does not occur is not tested.
TYPED_TEST(oracles, have_test_data_for_every_kind_of_result) {
  int zeros = 0, subnormals = 0, largest = 0, infinities = 0, nans = 0, ties_of_float = 0;
  const std::array<std::size_t, 5> lengths = {0, 1, 3, 40, 1500};
  const auto count = [&](const test_case<TypeParam>& test) {
    const float result = test.check.exact_result().as_float;
    zeros += result == 0;
    subnormals += std::fpclassify(result) == FP_SUBNORMAL;
    largest += std::abs(result) == std::numeric_limits<float>::max();
    infinities += std::isinf(result);
    nans += std::isnan(result);
    const double wide = test.check.exact_result().as_double;
    const std::uint64_t below_float = to_bits(wide) & ((std::uint64_t{1} << 29) - 1);
    ties_of_float += std::isnormal(result) && below_float == std::uint64_t{1} << 28;
  };
  for_each_case<TypeParam>(lengths, 20, count, [] { return false; });
  EXPECT_GT(zeros, 100);
  EXPECT_GT(subnormals, 20);
  EXPECT_GT(largest, 5);
  EXPECT_GT(infinities, 20);
  EXPECT_GT(nans, 20);
  EXPECT_GT(ties_of_float, 5);
}

TYPED_TEST(oracles, confirm_the_condition_number_of_ill_conditioned_data) {
  rng random(11);
  double worst = 0;
  for (int i = 0; i < 40; ++i) {
    const auto v = generator_named<TypeParam>("ill_beyond").make(random, 400);
    integer_sum sum, magnitudes;
    for (std::size_t j = 0; j < v.size(); ++j) {
      sum.add(v.a[j], v.b[j]);
      magnitudes.add(std::abs(v.a[j]), std::abs(v.b[j]));
    }
    if (sum.units() == 0) continue;
    const auto length = [](const mpz_class& x) { return static_cast<double>(mpz_sizeinbase(x.get_mpz_t(), 2)); };
    worst = std::max(worst, length(magnitudes.units()) - length(sum.units()));
  }
  EXPECT_GT(worst * std::log10(2.0), sizeof(TypeParam) == 4 ? 38 : 300);
}

TEST(order_v1, is_the_exact_sum_if_every_partial_sum_is_exact) {
  for (const auto& source : generators<double>()) {
    if (!source.exact_in_any_order) continue;
    for (const std::size_t n : border_lengths) {
      const auto test = make_case(source, 5, n);
      const std::span<const double> a = test.check.data().a, b = test.check.data().b;
      EXPECT_EQ(difference(test.check.exact_result().as_double, fast_dot<double>(a, b)), "") << test.name;
    }
  }
}

/// Two huge terms cancel without absorbing the small term only if they are added to each other before the small
/// term.
TEST(order_v1, has_the_lanes_and_rows_of_its_definition) {
  const auto dot_with_terms_at = [](std::size_t first, std::size_t second, std::size_t small) {
    std::vector<double> a(order_v1_tile<double>, 0.0), ones(order_v1_tile<double>, 1.0);
    a[first] = 0x1p60, a[second] = -0x1p60, a[small] = 1;
    return fast_dot<double, double>(a, ones);
  };
  constexpr std::size_t lanes = order_v1_lanes<double>;
  EXPECT_EQ(dot_with_terms_at(0, lanes, 2 * lanes), 1);          // same lane, small term last
  EXPECT_EQ(dot_with_terms_at(0, 2 * lanes, lanes), 0);          // same lane, small term absorbed
  EXPECT_EQ(dot_with_terms_at(0, lanes, 1), 1);                  // small term in another lane
  EXPECT_EQ(dot_with_terms_at(0, lanes / 2, 1), 1);              // the huge terms are folded first
  EXPECT_EQ(dot_with_terms_at(0, lanes / 2 + 1, lanes / 2), 0);  // the small term is added to one huge term first
}

}  // namespace
