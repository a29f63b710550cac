// The accumulator's limits: 2^63 largest products, and sums of 2^31 - 1 states.
//
// Up to the limits every bit is kept; beyond them an error is thrown and the state is unchanged. The tests reach
// the limits by doubling, and by invalid words, such as a broken reduction may send.
#include <gtest/gtest.h>

#include <exactdot/exactdot.hpp>
#include <functional>

#include "oracle/cases.hpp"

namespace {

using namespace oracle;

template <class T>
class headroom : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(headroom, element_types);

template <class T>
using state = exactdot::accumulator<T>;

template <class T>
std::vector<std::int64_t> words_of(const state<T>& sum) {
  return {sum.words().begin(), sum.words().end()};
}

void expect_error(exactdot::errc code, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), code) << thrown.what();
  }
}

/// Returns the sum of 2^log2_count products of the largest finite number.
template <class T>
state<T> state_of_largest_products(int log2_count, bool negative) {
  state<T> sum;
  const T largest = std::numeric_limits<T>::max();
  sum.add(negative ? -largest : largest, largest);
  for (int i = 0; i < log2_count; ++i) sum.merge(sum);
  return sum;
}

TYPED_TEST(headroom, is_two_to_the_63_largest_products_either_side) {
  for (const bool negative : {false, true}) {
    state<TypeParam> sum = state_of_largest_products<TypeParam>(63, negative);
    const auto before = words_of(sum);
    expect_error(exactdot::errc::headroom, [&] { sum.merge(sum); });
    EXPECT_EQ(words_of(sum), before);
    // Subtracting as much gives 0: no bit was lost.
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    sum.merge(state_of_largest_products<TypeParam>(63, !negative));
    sum.add(negative ? -largest : largest);
    EXPECT_EQ(difference(negative ? -largest : largest, sum.template round<TypeParam>()), "");
  }
}

/// A sum can be doubled until an error is thrown; the doubled sum is then beyond the limit of the contract.
TYPED_TEST(headroom, ends_only_beyond_the_contract) {
  for (const char* name : {"uniform", "log_uniform", "all_subnormal", "minus_last_bit", "largest_products"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 3, 9);
    const auto& [a, b] = one.check.data();
    state<TypeParam> sum;
    integer_sum expected;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]), expected.add(a[i], b[i]);
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    integer_sum largest_product;
    largest_product.add(largest, largest);
    const mpz_class limit = largest_product.units() << 63;
    int doublings = 0;
    for (bool fits = expected.units() != 0; fits && doublings < 5000; ++doublings) {
      const auto before = words_of(sum);
      try {
        sum.merge(sum);
      } catch (const exactdot::error& thrown) {
        EXPECT_EQ(thrown.code(), exactdot::errc::headroom);
        EXPECT_EQ(words_of(sum), before) << one.name;
        EXPECT_GT(abs(expected.units()) * 2, limit) << one.name;
        fits = false;
        continue;
      }
      expected.merge(expected);
      ASSERT_EQ(difference(expected.round<TypeParam>(), sum.template round<TypeParam>()), "") << one.name;
    }
    EXPECT_GE(doublings, expected.units() == 0 ? 0 : 59) << one.name;
    EXPECT_LT(doublings, 5000) << one.name;
  }
}

/// Single additions beyond the limit are detected too, at the latest when the state is read.
TYPED_TEST(headroom, is_checked_by_additions) {
  const TypeParam largest = std::numeric_limits<TypeParam>::max();
  const std::vector<TypeParam> many(64, largest);
  state<TypeParam> nearly = state_of_largest_products<TypeParam>(63, false);
  for (int k = 62; k >= 0; --k) {
    try {
      nearly.merge(state_of_largest_products<TypeParam>(k, false));
    } catch (const exactdot::error&) {
    }
  }
  const auto before = words_of(nearly);
  state<TypeParam> by_term = nearly, by_span = nearly;
  expect_error(exactdot::errc::headroom, [&] {
    for (const TypeParam x : many) by_term.add(x, x);
    (void)by_term.template round<TypeParam>();
  });
  expect_error(exactdot::errc::headroom,
               [&] { by_span.add(std::span<const TypeParam>(many), std::span<const TypeParam>(many)); });
  EXPECT_EQ(words_of(by_span), before);
}

/// Returns the elementwise sum of the words of `count` equal states.
std::vector<std::int64_t> times(std::vector<std::int64_t> words, std::int64_t count) {
  for (std::int64_t& word : words) word *= count;
  return words;
}

TYPED_TEST(headroom, of_summed_words_is_two_to_the_31_less_one_states) {
  constexpr std::int64_t max_states = (std::int64_t{1} << 31) - 1;
  for (const char* name : {"uniform", "log_uniform", "minus_last_bit", "negative_all_ones", "nan_payloads"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 4, 30);
    const auto& [a, b] = one.check.data();
    state<TypeParam> sum;
    integer_sum expected;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]), expected.add(a[i], b[i]);
    const state<TypeParam> summed(times(words_of(sum), max_states));
    const TypeParam result = is_nan(expected.round<TypeParam>())
                                 ? expected.round<TypeParam>()
                                 : round_units<TypeParam>(expected.units() * max_states);
    EXPECT_EQ(difference(result, summed.template round<TypeParam>()), "") << one.name;
    expect_error(exactdot::errc::headroom,
                 [&] { state<TypeParam> too_many(times(words_of(sum), max_states + 1)); });
  }
}

/// 2^31 - 1 states whose limbs are all ones, the maximum of canonical words: no carry is lost.
TYPED_TEST(headroom, of_summed_words_holds_full_limbs) {
  constexpr std::int64_t max_states = (std::int64_t{1} << 31) - 1;
  std::vector<std::int64_t> words(state<TypeParam>::word_count, 0);
  const std::size_t full_limbs = state<TypeParam>::limb_count - 4;
  std::fill_n(words.begin(), full_limbs, (std::int64_t{1} << 32) - 1);
  words.back() = 1;
  const mpz_class value = ((mpz_class(1) << (32 * full_limbs)) - 1) * max_states;
  const int shift = state<TypeParam>::lowest_exponent - integer_sum::unit_exponent;
  const state<TypeParam> summed(times(words, max_states));
  EXPECT_EQ(difference(round_units<double>(value << shift), summed.template round<double>()), "");
  EXPECT_EQ(difference(round_units<float>(value << shift), summed.template round<float>()), "");
}

TYPED_TEST(headroom, of_summed_words_ends_at_two_to_the_63_largest_products) {
  const auto half = words_of(state_of_largest_products<TypeParam>(62, false));
  EXPECT_NO_THROW(state<TypeParam>(times(half, 2)));
  expect_error(exactdot::errc::headroom, [&] { state<TypeParam> too_much(times(half, 4)); });
  const auto minus_half = words_of(state_of_largest_products<TypeParam>(62, true));
  EXPECT_NO_THROW(state<TypeParam>(times(minus_half, 2)));
  expect_error(exactdot::errc::headroom, [&] { state<TypeParam> too_much(times(minus_half, 4)); });
}

/// Special values are counted; doubling must not wrap a count to 0.
TYPED_TEST(headroom, of_special_values_does_not_wrap) {
  for (const char* name : {"nan_payloads", "infinity_and_one", "opposite_infinities"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 1, 1);
    const auto& [a, b] = one.check.data();
    state<TypeParam> sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]);
    const TypeParam expected = one.check.exact_result().template as<TypeParam>();
    ASSERT_FALSE(std::isfinite(expected));
    for (int i = 0; i < 130; ++i) {
      try {
        sum.merge(sum);
      } catch (const exactdot::error& thrown) {
        EXPECT_EQ(thrown.code(), exactdot::errc::headroom);
      }
      ASSERT_EQ(difference(expected, sum.template round<TypeParam>()), "") << one.name << ", doubling " << i;
    }
    const state<TypeParam> summed(times(words_of(sum), (std::int64_t{1} << 31) - 1));
    EXPECT_EQ(difference(expected, summed.template round<TypeParam>()), "") << one.name;
  }
}

TYPED_TEST(headroom, is_not_applied_to_invalid_words) {
  using words = std::vector<std::int64_t>;
  const auto size = state<TypeParam>::word_count;
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, size - 1, size + 1, 2 * size}) {
    expect_error(exactdot::errc::size_mismatch, [&] { state<TypeParam> refused(words(wrong, 0)); });
  }
  EXPECT_THROW(state<TypeParam>(words(size, 0)), exactdot::error);  // the number of states is 0
  words negative_count(size, 0);
  negative_count[size - 1] = 1;
  negative_count[size - 2] = -1;
  EXPECT_THROW(state<TypeParam>{negative_count}, exactdot::error);
  words top_heavy(size, 0);
  top_heavy[size - 1] = 1;
  top_heavy[state<TypeParam>::limb_count - 1] = std::numeric_limits<std::int64_t>::max();
  expect_error(exactdot::errc::headroom, [&] { state<TypeParam> refused(top_heavy); });
  top_heavy[state<TypeParam>::limb_count - 1] = std::numeric_limits<std::int64_t>::min();
  expect_error(exactdot::errc::headroom, [&] { state<TypeParam> refused(top_heavy); });
}

/// Extreme words of sums of states give a sum or errc::headroom. Words that no sum of states has are refused.
TYPED_TEST(headroom, is_checked_for_extreme_words) {
  rng random(8);
  int accepted = 0;
  for (int i = 0; i < scaled(2000); ++i) {
    const std::int64_t states = random.coin() ? (std::int64_t{1} << 31) - 1 : 1 + random.between(0, 1000);
    const std::int64_t max_limb = states * 0xffffffff;
    std::vector<std::int64_t> words(state<TypeParam>::word_count, 0);
    for (std::int64_t& word : words) {
      const std::uint64_t kind = random.below(4);
      word = kind == 0   ? max_limb
             : kind == 1 ? max_limb - random.between(0, 3)
             : kind == 2 ? static_cast<std::int64_t>(random.bits() % (static_cast<std::uint64_t>(max_limb) + 1))
                         : random.between(0, 1);
    }
    std::fill(words.end() - 4, words.end() - 1, 0);  // no special values
    words.back() = states;
    const auto top = words.begin() + state<TypeParam>::limb_count;
    if (random.below(4) != 0) std::fill(top - 4, top, random.coin() ? 0 : -1);  // so that the headroom suffices
    std::fill(top - 4, top - 1, 0);
    try {
      const state<TypeParam> sum(words);
      const TypeParam got = sum.template round<TypeParam>();
      ++accepted;
      const std::span<const std::int64_t> limbs = std::span(words).first(state<TypeParam>::limb_count);
      const mpz_class expected = units_of_limbs(limbs, state<TypeParam>::lowest_exponent);
      EXPECT_EQ(difference(round_units<TypeParam>(expected), got), "");
    } catch (const exactdot::error& refusal) {
      EXPECT_EQ(refusal.code(), exactdot::errc::headroom) << refusal.what();
    }
    std::vector<std::int64_t> impossible = words;
    impossible[random.below(state<TypeParam>::limb_count - 1)] = random.coin() ? -1 : max_limb + 1;
    *(impossible.end() - 5) = 0;  // the last limb is signed
    expect_error(exactdot::errc::bad_option, [&] { state<TypeParam> refused(impossible); });
    if (this->HasFailure()) return;
  }
  EXPECT_GT(accepted, 0);
}

TEST(moments, refuse_more_elements_than_their_words_count) {
  using exactdot::moments;
  std::vector<std::int64_t> words(moments<float>::word_count);
  const auto empty = moments<float>().words();
  std::copy(empty.begin(), empty.end(), words.begin());
  words[0] = std::numeric_limits<std::int64_t>::max();
  moments<float> full{words};
  expect_error(exactdot::errc::headroom, [&] { full.add(1.0F); });
  expect_error(exactdot::errc::headroom, [&] { full.add(std::vector{1.0F}); });
  expect_error(exactdot::errc::headroom, [&] { full.merge(full); });
  EXPECT_EQ(full.count(), static_cast<std::uint64_t>(words[0]));
  EXPECT_EQ(full.sum().round<float>(), 0.0F);
}

TEST(moments, keep_both_sums_if_one_has_no_room) {
  using exactdot::moments;
  auto words = moments<float>().words();
  words[0] = words[1] = 1;
  words[words.size() - 5] = 300;  // of the squares; the last limb is less than 2^9
  moments<float> full{words};
  const auto before = full.words();
  expect_error(exactdot::errc::headroom, [&] { full.merge(full); });
  EXPECT_EQ(full.words(), before);
}

TEST(moments, have_no_variance_that_no_elements_have) {
  using exactdot::moments;
  moments<float> one;
  one.add(1.0F), one.add(2.0F);
  auto words = one.words();
  std::vector<std::int64_t> wrong(words.begin(), words.end());
  for (std::size_t i = wrong.size() / 2 + 1; i < wrong.size() - 4; ++i) wrong[i] = 0;  // no squares
  EXPECT_THROW((void)moments<float>{wrong}, exactdot::error);
}

TEST(moments, refuse_a_negative_ddof) {
  const exactdot::moments<double> none;
  for (const bool root : {false, true}) {
    try {
      (void)(root ? none.standard_deviation<double>(-1) : none.variance<double>(-1));
      ADD_FAILURE() << "no error";
    } catch (const exactdot::error& failure) {
      EXPECT_STREQ(failure.what(), "moments: ddof is -1; use 0 or more");
    }
  }
}

}  // namespace
