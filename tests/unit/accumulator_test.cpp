// Interface of the accumulator: sums of terms and spans, merging, words.
//
// The words are part of the contract, because other programs (MPI, NCCL, SQL) add them. So their layout, canonical
// form and value are tested, and not only the rounded results.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"

namespace {

using namespace oracle;

template <class T>
class accumulators : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(accumulators, element_types);

template <class T>
using state = exactdot::accumulator<T>;

template <class T>
std::vector<std::int64_t> words_of(const state<T>& sum) {
  return {sum.words().begin(), sum.words().end()};
}

template <class T>
std::string fault(const exact_value& expected, const state<T>& sum) {
  return difference(expected.as_float, sum.template round<float>()) +
         difference(expected.as_double, sum.template round<double>());
}

TYPED_TEST(accumulators, start_at_plus_zero) {
  const state<TypeParam> sum;
  EXPECT_EQ(difference(0.0f, sum.template round<float>()), "");
  EXPECT_EQ(difference(0.0, sum.template round<double>()), "");
  std::vector<std::int64_t> expected(state<TypeParam>::word_count, 0);
  expected.back() = 1;
  EXPECT_EQ(words_of(sum), expected);
}

TYPED_TEST(accumulators, hold_the_dot_of_single_terms_and_of_spans) {
  const std::array<std::size_t, 5> lengths = {0, 1, 30, 129, 600};
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [](const test_case<TypeParam>& one) {
        const auto& [a, b] = one.check.data();
        state<TypeParam> by_term, by_span;
        for (std::size_t i = 0; i < a.size(); ++i) by_term.add(a[i], b[i]);
        by_span.add(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
        EXPECT_EQ(fault(one.check.exact_result(), by_term), "") << one.name;
        EXPECT_EQ(fault(one.check.exact_result(), by_span), "") << one.name;
        EXPECT_EQ(words_of(by_term), words_of(by_span)) << one.name;
      },
      testing::Test::HasFailure);
}

TYPED_TEST(accumulators, hold_plain_sums) {
  const std::array<std::size_t, 5> lengths = {0, 1, 30, 129, 600};
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [](const test_case<TypeParam>& one) {
        const std::span<const TypeParam> x = one.check.data().a;
        state<TypeParam> by_term, by_span;
        for (const TypeParam value : x) by_term.add(value);
        by_span.add(x);
        EXPECT_EQ(fault(exact_sum(x), by_term), "") << one.name;
        EXPECT_EQ(fault(exact_sum(x), by_span), "") << one.name;
      },
      testing::Test::HasFailure);
}

TYPED_TEST(accumulators, hold_products_and_sums_together) {
  state<TypeParam> sum;
  sum.add(TypeParam{3}, TypeParam{5});
  sum.add(TypeParam{-7});
  const std::vector<TypeParam> a = {1, 2}, b = {10, 20};
  sum.add(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
  EXPECT_EQ(sum.template round<double>(), 58);
}

/// One state per term: the elementwise sum of their words, as in an MPI reduction, is the state of all terms.
TYPED_TEST(accumulators, are_merged_by_summing_words) {
  for (const char* name :
       {"uniform", "log_uniform", "cancels_to_last_bit", "special_mix", "all_subnormal", "carry_chain"}) {
    for (const std::size_t states : {2u, 3u, 10u, 1000u}) {
      const auto one = make_case(generator_named<TypeParam>(name), 9, states);
      const auto& [a, b] = one.check.data();
      std::vector<std::int64_t> words(state<TypeParam>::word_count, 0);
      state<TypeParam> merged;
      for (std::size_t i = 0; i < a.size(); ++i) {
        state<TypeParam> term;
        term.add(a[i], b[i]);
        merged.merge(term);
        for (std::size_t j = 0; j < words.size(); ++j) words[j] += term.words()[j];
      }
      const state<TypeParam> summed(words);
      EXPECT_EQ(words.back(), static_cast<std::int64_t>(a.size()));
      EXPECT_EQ(fault(one.check.exact_result(), summed), "") << one.name;
      EXPECT_EQ(words_of(merged), words_of(summed)) << one.name;
    }
  }
}

TYPED_TEST(accumulators, survive_a_round_trip_through_words) {
  const std::array<std::size_t, 3> lengths = {0, 7, 200};
  for_each_case<TypeParam>(
      lengths, 1,
      [](const test_case<TypeParam>& one) {
        const auto& [a, b] = one.check.data();
        state<TypeParam> sum;
        sum.add(std::span<const TypeParam>(a), std::span<const TypeParam>(b));
        const state<TypeParam> copy(sum.words());
        EXPECT_EQ(words_of(sum), words_of(copy)) << one.name;
        EXPECT_EQ(fault(one.check.exact_result(), copy), "") << one.name;
      },
      testing::Test::HasFailure);
}

/// Canonical: every limb but the last is in [0, 2^32), also after cancellation.
TYPED_TEST(accumulators, have_canonical_words) {
  const std::array<std::size_t, 2> lengths = {5, 300};
  for_each_case<TypeParam>(
      lengths, scaled(3),
      [](const test_case<TypeParam>& one) {
        state<TypeParam> sum;
        const auto& [a, b] = one.check.data();
        for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]);
        const auto words = sum.words();
        for (std::size_t i = 0; i + 1 < state<TypeParam>::limb_count; ++i) {
          EXPECT_TRUE(words[i] >= 0 && words[i] < std::int64_t{1} << 32) << one.name << ", limb " << i;
        }
        EXPECT_EQ(words.back(), 1);
      },
      testing::Test::HasFailure);
}

/// The value of the words: limb i has the weight 2^(lowest_exponent + 32 i).
TYPED_TEST(accumulators, have_words_with_the_value_of_the_sum) {
  for (const char* name : {"uniform", "log_uniform", "negative_all_ones", "minus_last_bit", "largest_products"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 3, 40);
    const auto& [a, b] = one.check.data();
    state<TypeParam> sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]);
    const auto limbs = sum.words().first(state<TypeParam>::limb_count);
    EXPECT_EQ(one.check.limbs_fault(limbs, state<TypeParam>::lowest_exponent), "") << one.name;
  }
}

TYPED_TEST(accumulators, merge_with_themselves) {
  state<TypeParam> sum;
  sum.add(TypeParam{1.5});
  sum.merge(sum);
  EXPECT_EQ(sum.template round<double>(), 3);
}

TYPED_TEST(accumulators, are_values) {
  state<TypeParam> sum;
  sum.add(TypeParam{2});
  const state<TypeParam> before = sum;
  sum.add(TypeParam{1});
  EXPECT_EQ(before.template round<double>(), 2);
  EXPECT_EQ(sum.template round<double>(), 3);
  sum.clear();
  EXPECT_EQ(words_of(sum), words_of(state<TypeParam>()));
  sum.add(std::numeric_limits<TypeParam>::quiet_NaN());
  sum.clear();
  EXPECT_EQ(words_of(sum), words_of(state<TypeParam>()));
}

/// Ten million additions of one sign: carries are propagated before a limb overflows.
TYPED_TEST(accumulators, accept_many_single_additions) {
  state<TypeParam> sum;
  const TypeParam x = from_bits<TypeParam>(to_bits(TypeParam{2}) - 1);  // all ones
  const int count = scaled(10'000'000);
  for (int i = 0; i < count; ++i) sum.add(x, x);
  integer_sum one;
  one.add(x, x);
  EXPECT_EQ(difference(round_units<TypeParam>(one.units() * count), sum.template round<TypeParam>()), "");
}

/// With special terms the limbs mean nothing, so they must not decide about a root.
TEST(accumulator, takes_roots_of_sums_with_infinite_terms) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double finite : {-5.0, 0.0, 5.0}) {
    exactdot::accumulator<double> plus, minus;
    plus.add(finite), plus.add(infinity), minus.add(finite), minus.add(-infinity);
    EXPECT_EQ(plus.round_root<double>(), infinity) << finite;
    EXPECT_EQ(plus.round_root_scaled().significand, infinity) << finite;
    EXPECT_TRUE(std::isnan(minus.round_root<double>())) << finite;
    EXPECT_TRUE(std::isnan(minus.round_root<float>())) << finite;
    EXPECT_TRUE(std::isnan(minus.round_root_scaled().significand)) << finite;
  }
}

}  // namespace
