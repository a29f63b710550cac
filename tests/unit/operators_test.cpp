// Accumulators and moments as numbers: operators, comparisons, elements of other types, wider states.
//
// Every pair of element types: what a state of one holds of the other is added, merged and compared exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <compare>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/integer_sum.hpp"
#include "oracle/random.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace oracle;
using exactdot::accumulator;
using exactdot::element_type;
using exactdot::moments;

/// work(T{}, U{}) for every pair of element types of which a state of T holds U.
template <class Work>
void for_each_held_pair(Work work) {
  const auto with = [&]<class T>(T) {
    for (const exactdot::element_info& info : exactdot::elements) {
      exactdot::with_element(info.type, [&]<class U>(U) {
        if constexpr (exactdot::detail::state_holds(exactdot::type_of<T>, exactdot::type_of<U>)) work(T{}, U{});
      });
    }
  };
  for (const exactdot::element_info& info : exactdot::elements) exactdot::with_element(info.type, with);
}

/// Any bits, NaN and infinities if `special`.
template <class T>
T random_element(rng& random, bool special) {
  while (true) {
    const T x = exactdot::detail::from_word<T>(random.bits());
    if (special || decode(exactdot::type_of<T>, exactdot::detail::to_word(x)).kind == kind::finite) return x;
  }
}
template <class T>
std::vector<T> random_elements(rng& random, std::size_t n, bool special) {
  std::vector<T> x(n);
  for (T& each : x) each = random_element<T>(random, special);
  return x;
}

const number one = {kind::finite, {false, 1, 0}};
template <class T>
number number_in(T x) {
  return decode(exactdot::type_of<T>, exactdot::detail::to_word(x));
}

template <class T>
std::string fault(const accumulator<T>& sum, const integer_sum& expected) {
  const auto words = sum.words();
  constexpr std::size_t limbs = accumulator<T>::limb_count;
  const special_counts counts = {words[limbs], words[limbs + 1], words[limbs + 2]};
  if (counts != expected.specials()) return "other special terms";
  const bool special = counts.nans != 0 || counts.positive_infinities != 0 || counts.negative_infinities != 0;
  if (special) return "";
  return units_of_limbs(words.first(limbs), accumulator<T>::lowest_exponent) == expected.units() ? ""
                                                                                                 : "other limbs";
}

TEST(accumulators, take_elements_of_every_type_that_they_hold) {
  rng random(5);
  for_each_held_pair([&]<class T, class U>(T, U) {
    const std::string pair = std::string(exactdot::name_of(exactdot::type_of<T>)) +
                             " += " + std::string(exactdot::name_of(exactdot::type_of<U>));
    for (const std::size_t n : {1u, 7u, 1500u}) {
      for (const bool special : {false, true}) {
        const auto x = random_elements<U>(random, n, special), y = random_elements<U>(random, n, special);
        integer_sum sum, products, squares;
        for (std::size_t i = 0; i < n; ++i) {
          sum.add(number_in(x[i]), one), products.add(number_in(x[i]), number_in(y[i]));
          squares.add(number_in(x[i]), number_in(x[i]));
        }
        accumulator<T> by_element, by_vector, of_products, product_by_product, of_squares;
        for (std::size_t i = 0; i < n; ++i) by_element += x[i], product_by_product.add(x[i], y[i]);
        by_vector.add(x), of_products.add(x, y), of_squares.add_squares(x);
        EXPECT_EQ(fault(by_element, sum), "") << pair << ", by element";
        EXPECT_EQ(fault(by_vector, sum), "") << pair << ", by vector";
        EXPECT_EQ(fault(product_by_product, products), "") << pair << ", product by product";
        EXPECT_EQ(fault(of_products, products), "") << pair << ", products";
        EXPECT_EQ(fault(of_squares, squares), "") << pair << ", squares";
        const accumulator<U> narrow = accumulator<U>() + x[0];
        integer_sum first;
        first.add(number_in(x[0]), one);
        EXPECT_EQ(fault(accumulator<T>(narrow), first), "") << pair << ", converted";
        by_element -= x[0], by_vector.subtract(std::span<const U>(x).first(1));
        if (special) continue;  // infinities do not cancel
        EXPECT_TRUE(by_element == by_vector) << pair;
        by_element += narrow;
        EXPECT_EQ(fault(by_element, sum), "") << pair << ", merged";
      }
    }
  });
}

TEST(accumulators, refuse_elements_that_they_do_not_hold) {
  const std::vector<double> doubles = {1};
  const std::vector<std::int64_t> integers = {1};
  const auto refuses = [](auto sum, const exactdot::any_vector& x) {
    unit::expect_error(exactdot::errc::bad_option, "whose products it holds exactly", [&] { sum.add(x); });
    EXPECT_TRUE(sum == decltype(sum)());
  };
  refuses(accumulator<float>(), exactdot::to_any(doubles));
  refuses(accumulator<exactdot::float16>(), exactdot::to_any(doubles));
  refuses(accumulator<std::int64_t>(), exactdot::to_any(doubles));
  refuses(accumulator<std::int32_t>(), exactdot::to_any(integers));
}

/// 2^62 + 1 is no double, 0.1F no tenth: numbers are added as they are.
TEST(accumulators, do_not_round_what_they_add) {
  accumulator<double> sum;
  sum += (std::int64_t{1} << 62) + 1;
  sum -= std::int64_t{1} << 62;
  EXPECT_EQ(static_cast<double>(sum), 1);
  sum.add(std::int64_t{1} << 62, (std::int64_t{1} << 62) + 1);
  sum.subtract(0x1p124);
  sum -= 0x1p62;
  EXPECT_EQ(sum.round<double>(), 1);
  sum += 0.1F;
  EXPECT_EQ(static_cast<float>(sum - 1), 0.1F);
}

TEST(accumulators, have_operators) {
  accumulator<double> a, b;
  a += 3, b += 0.5;
  EXPECT_EQ(static_cast<double>(a + b), 3.5);
  EXPECT_EQ(static_cast<double>(a - b), 2.5);
  EXPECT_EQ(static_cast<double>(-a), -3);
  EXPECT_EQ(static_cast<double>(a + 1), 4);
  EXPECT_EQ(static_cast<double>(1.5F + a), 4.5);
  EXPECT_EQ(static_cast<double>(1 - a), -2);
  EXPECT_EQ(static_cast<double>(a - 1LL), 2);
  EXPECT_EQ(static_cast<float>(a), 3.0F);
  a -= b, a -= 0.5;
  EXPECT_EQ(static_cast<double>(a), 2);
  accumulator<std::int32_t> integers;
  integers += std::int8_t{-5};
  EXPECT_EQ(static_cast<std::int64_t>(integers), -5);
  const auto wide = integers + b;
  static_assert(std::is_same_v<decltype(integers + b), accumulator<double>>);
  static_assert(std::is_same_v<decltype(b + integers), accumulator<double>>);
  EXPECT_EQ(static_cast<double>(wide), -4.5);
  static_assert(!std::is_convertible_v<accumulator<double>, double>);
  static_assert(!std::is_constructible_v<bool, accumulator<double>>);
}

TEST(accumulators, compare_as_the_real_numbers_do) {
  rng random(6);
  for_each_held_pair([&]<class T, class U>(T, U) {
    for (int i = 0; i < 40; ++i) {
      const auto x = random_elements<T>(random, 1 + random.below(3), false);
      const auto y = random_elements<U>(random, 1 + random.below(3), false);
      accumulator<T> a;
      accumulator<U> b;
      integer_sum first, second;
      for (const T each : x) a += each, first.add(number_in(each), one);
      for (const U each : y) b += each, second.add(number_in(each), one);
      const int expected = cmp(first.units(), second.units());
      EXPECT_EQ(a < b, expected < 0);
      EXPECT_EQ(a > b, expected > 0);
      EXPECT_EQ(a == b, expected == 0);
      accumulator<T> same(b);
      EXPECT_TRUE(same == b);
      EXPECT_FALSE(same != b);
      same += 1;
      EXPECT_TRUE(same > b && b < same && same != b);
    }
  });
}

TEST(accumulators, compare_by_value_not_by_words) {
  accumulator<double> once, often;
  once += 1;
  for (int i = 0; i < 4; ++i) often += 0.25;
  EXPECT_TRUE(once == often);
  const double infinity = std::numeric_limits<double>::infinity();
  accumulator<double> plus, also_plus, minus, nan;
  plus += infinity, also_plus += infinity, also_plus += infinity, also_plus += 5;
  minus -= infinity, nan += infinity, nan -= infinity;
  EXPECT_TRUE(plus == also_plus && plus > once && minus < once && minus < plus);
  EXPECT_TRUE((nan <=> nan) == std::partial_ordering::unordered);
  EXPECT_FALSE(nan == nan);
}

TEST(all_moments, are_values_with_operators) {
  const std::vector<float> x = {1, 2, 3.5F};
  moments<double> parts;
  moments<float> narrow;
  narrow.add(x);
  for (const float each : x) parts += each;
  EXPECT_TRUE(parts == narrow);
  EXPECT_TRUE(moments<double>(narrow) == parts);
  EXPECT_EQ((parts + narrow).count(), 6u);
  EXPECT_FALSE(parts + narrow == parts);
  parts += narrow;
  EXPECT_EQ(parts.mean<double>(), 6.5 / 3);
  EXPECT_EQ(parts.norm<double>(), parts.nrm2<double>());
  EXPECT_EQ(parts.var<double>(1), parts.variance<double>(1));
  EXPECT_EQ(parts.standard_deviation<float>(1), parts.stddev<float>(1));
}

template <class T>
void expect_impossible(std::initializer_list<std::pair<std::size_t, std::int64_t>> changes, const char* why) {
  moments<T> of;
  of.add(static_cast<T>(1)), of.add(static_cast<T>(2));
  auto words = of.words();
  EXPECT_TRUE(moments<T>(words) == of);
  for (const auto& [at, value] : changes) words[at] = value;
  try {
    static_cast<void>(moments<T>(words));
    ADD_FAILURE() << why;
  } catch (const exactdot::error& refused) {
    EXPECT_EQ(refused.code(), exactdot::errc::bad_option);
    EXPECT_EQ(std::string(refused.what()), std::string("moments: ") + why);
  }
}

template <class T>
void expect_impossible_moments() {
  constexpr std::size_t end = moments<T>::word_count, sum_end = end - accumulator<T>::word_count;
  expect_impossible<T>({{0, -1}}, "the count is negative");
  expect_impossible<T>({{0, 0}}, "the count is 0, the sums are not");
  expect_impossible<T>({{0, 1}}, "these words are the moments of no elements");
  expect_impossible<T>({{end - 5, -1}}, "the sum of squares is negative");
  if constexpr (!exactdot::floating_element<T>) return;  // whose states have no infinities
  expect_impossible<T>({{end - 4, 1}}, "one of the sums is finite, the other is not");
  expect_impossible<T>({{sum_end - 3, 1}}, "one of the sums is finite, the other is not");
  expect_impossible<T>({{sum_end - 3, 1}, {end - 4, 1}}, "the sum of squares is NaN, the sum is not");
  expect_impossible<T>({{sum_end - 2, 1}, {end - 2, 1}}, "the sum of squares is negative");
}

TEST(all_moments, are_of_elements) {
  expect_impossible_moments<double>(), expect_impossible_moments<float>();
  expect_impossible_moments<exactdot::float16>(), expect_impossible_moments<exactdot::bfloat16>();
  expect_impossible_moments<std::int8_t>(), expect_impossible_moments<std::uint64_t>();
}

}  // namespace
