// Rounding words of states: results of summed words of several ranks against the integer oracle, by bits; words
// with every carry that a sum may hold; a rank that drops an element, and words with one unit too much, must change
// results.
#include "cuda/on_gpu/state_words.hpp"

#include <cuda/words/rows.hpp>

namespace {

using namespace on_gpu;
using namespace exactdot::cuda_engine;

class cuda_state_words : public needs_gpu {};

struct test_row {
  std::string name;
  std::uint64_t expected;
};

/// One launch for all generators of carriers.
template <class T>
void expect_generated(const state_format& format, reduction what, element_type type, unsigned seed) {
  row_set given{format, {}, seed % 3};
  std::vector<test_row> rows;
  oracle::rng random(seed);
  constexpr std::size_t n = 9;  // the mean of a sum has one count for all rows
  for (const auto& source : oracle::generators<T>()) {
    auto data = source.make(random, n);
    data.a.resize(n, T(1)), data.b.resize(n, T(1));
    given.rows.push_back(words_of_ranks(format, data.a, data.b, 1 + random.below(12)));
    rows.push_back({std::string(source.name), oracle_bits(what, to_any(data.a), to_any(data.b), seed % 2, type)});
  }
  state_calls on(seed);
  const row_results found = on.round(given, {what, type, n, seed % 2});
  EXPECT_EQ(found.status, 0U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(found.bits[i], rows[i].expected)
        << name_of(what) << " to " << name_of(type) << " of " << rows[i].name << ", seed " << seed
        << (format.form == state_form::full ? ", full" : ", compact");
  }
}

template <class T>
void expect_all_results(unsigned salt) {
  constexpr element_type types[] = {element_type::float32,  element_type::float64,       element_type::float16,
                                    element_type::bfloat16, element_type::float8_e4m3fn, element_type::float8_e5m2};
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(6)); ++i) {
    const unsigned seed = salt + i;
    const element_type type = types[i % std::size(types)];
    const state_form form = seed % 3 == 0 ? state_form::compact : state_form::full;
    for (const reduction what :
         {reduction::dot, reduction::sum, reduction::sum_of_squares, reduction::nrm2, reduction::mean}) {
      expect_generated<T>({what, type_of<T>, form}, what, type, seed);
    }
    expect_generated<T>({reduction::sum, type_of<T>, form}, reduction::mean, type, seed);
    for (const reduction what :
         {reduction::sum, reduction::mean, reduction::nrm2, reduction::variance, reduction::stddev}) {
      expect_generated<T>({reduction::variance, type_of<T>, form}, what, type, seed);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_state_words, of_several_ranks_equal_the_oracle) {
  expect_all_results<float>(100);
  expect_all_results<double>(200);
}

/// Integers: every result type, some that do not fit.
template <class T>
void expect_integers(unsigned seed) {
  oracle::rng random(seed);
  std::vector<std::vector<T>> data;
  const state_form form = seed % 2 == 0 ? state_form::compact : state_form::full;
  row_set given{{reduction::sum, type_of<T>, form}, {}, 1},
      of_moments{{reduction::variance, type_of<T>, form}, {}, 0};
  for (std::size_t i = 0; i < 13; ++i) {
    std::vector<T> x(1 + random.below(9));
    for (T& each : x) each = static_cast<T>(random.below(3) == 0 ? random.below(~std::size_t{0}) : random.below(7));
    given.rows.push_back(words_of_ranks(given.format, x, x, 1 + random.below(5)));
    of_moments.rows.push_back(words_of_ranks(of_moments.format, x, x, 1 + random.below(5)));
    data.push_back(x);
  }
  state_calls on(seed);
  for (const element_type type : {element_type::int64, element_type::uint64, element_type::float64}) {
    const row_results found = on.round(given, {reduction::sum, type});
    bool overflows = false;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto expected = oracle::reference(reduction::sum, to_any(data[i]), to_any(data[i])).exact(type);
      overflows |= !expected.has_value();
      ASSERT_EQ(found.bits[i], expected ? expected->bits : 0) << name_of(type_of<T>) << " to " << name_of(type);
    }
    EXPECT_EQ(found.status, overflows ? 1U : 0U);
  }
  const row_results varied = on.round(of_moments, {reduction::variance, element_type::float64});
  for (std::size_t i = 0; i < data.size(); ++i) {
    ASSERT_EQ(varied.bits[i],
              oracle_bits(reduction::variance, to_any(data[i]), to_any(data[i]), 0, element_type::float64));
  }
}

TEST_F(cuda_state_words, of_integers_equal_the_oracle) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(6)); ++seed) {
    expect_integers<std::int8_t>(seed), expect_integers<std::int32_t>(seed), expect_integers<std::int64_t>(seed);
    expect_integers<std::uint32_t>(seed), expect_integers<std::uint64_t>(seed);
  }
}

/// Words as a sum of so many states may have: limbs at their limits, runs that pass carries on, any sign.
words random_words(oracle::rng& random, const core::state_layout& layout, std::int64_t states) {
  words made(static_cast<std::size_t>(layout.words()), 0);
  const auto max_limb = static_cast<std::uint64_t>(states) * 0xffffffff;
  for (int i = 0; i < layout.limbs - 1; ++i) {
    const std::uint64_t any = random.below(~std::size_t{0}) % max_limb;
    const std::uint64_t kinds[] = {0, max_limb, 0xffffffff, 0xfffffffe, any, any & 0xff, std::uint64_t{1} << 31};
    const std::size_t kind = random.below(4) == 0 || i == 0 ? random.below(7) : 7;
    made[static_cast<std::size_t>(i)] = kind == 7 ? made[static_cast<std::size_t>(i - 1)]
                                                  : static_cast<std::int64_t>(std::min(kinds[kind], max_limb));
  }
  const auto top_limit = static_cast<std::uint64_t>(layout.top_limit()) / 2;
  const auto top = static_cast<std::int64_t>(random.below(3) == 0 ? 0 : random.below(top_limit));
  made[static_cast<std::size_t>(layout.limbs - 1)] = random.below(2) == 0 ? top : -top - 1;
  if (random.below(4) == 0) {  // nothing above a limb, so that results are finite
    for (int i = static_cast<int>(random.below(layout.limbs)); i < layout.limbs; ++i) made[i] = 0;
    if (random.below(2) == 0) {
      const int last = layout.limbs - 1;
      for (int i = 0; i < last; ++i) made[i] = made[i] != 0 ? 0xffffffff - (made[i] & 0xffffffff) : 0xffffffff;
      made[last] = -1;
    }
  }
  made.back() = states;
  return made;
}

TEST_F(cuda_state_words, propagate_every_carry) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(30)); ++seed) {
    for (const element_type type : {element_type::float32, element_type::float64, element_type::int64}) {
      oracle::rng random(seed);
      const core::state_layout layout = core::layout_of(type);
      row_set given{sums_of(type), {}, 0};
      for (int i = 0; i < 20; ++i) {
        const std::int64_t summed = i % 3 == 0 ? 1 : i % 3 == 1 ? max_states : 1 + random.below(1000);
        given.rows.push_back(random_words(random, layout, summed));
      }
      state_calls on(seed);
      const row_results found = on.round(given, {reduction::sum, element_type::float64});
      unsigned status = 0;
      const std::vector<words> canonical = on.merge(given, nullptr, status);
      const mpz_class limit =
          mpz_class(static_cast<long>(layout.top_limit()))
          << (32 * (layout.limbs - 1) + layout.lowest_exponent - oracle::integer_sum::unit_exponent);
      bool all_fit = true;
      for (std::size_t i = 0; i < given.rows.size(); ++i) {
        const auto limbs = std::span<const std::int64_t>(given.rows[i]).first(given.rows[i].size() - 4);
        const mpz_class units = oracle::units_of_limbs(limbs, layout.lowest_exponent);
        if (units < -limit || units >= limit) {  // carries raised the last limb
          all_fit = false;
          ASSERT_EQ(found.bits[i], 0x7ff8000000000000);
          ASSERT_EQ(canonical[i], given.rows[i]);
          continue;
        }
        const std::uint64_t expected = oracle::to_bits(oracle::round_units<double>(units));
        ASSERT_EQ(found.bits[i], expected) << name_of(type) << ", seed " << seed << ", row " << i;
        const auto same = std::span<const std::int64_t>(canonical[i]).first(limbs.size());
        ASSERT_EQ(oracle::units_of_limbs(same, layout.lowest_exponent), units);
        for (std::size_t k = 0; k + 1 < same.size(); ++k) ASSERT_TRUE(same[k] >= 0 && same[k] <= 0xffffffff);
        ASSERT_EQ(canonical[i].back(), 1);
      }
      EXPECT_EQ(found.status, all_fit ? no_problem : no_headroom);
      EXPECT_EQ(status, found.status);
    }
  }
}

TEST_F(cuda_state_words, lose_bits_if_a_rank_drops_an_element) {
  int same = 0, all = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    oracle::rng random(seed);
    const auto& source = oracle::generator_named<double>("uniform");
    const auto data = source.make(random, 40);
    const std::size_t dropped = random.below(data.a.size());
    if (data.a[dropped] == 0 || data.b[dropped] == 0) continue;
    row_set given{sums_of(element_type::float64), {}, 0};
    given.rows.push_back(words_of_ranks({reduction::dot, element_type::float64}, data.a, data.b, 4));
    given.rows.push_back(words_of_ranks({reduction::dot, element_type::float64}, data.a, data.b, 4, dropped));
    state_calls on(seed);
    const row_results found = on.round(given, {reduction::dot, element_type::float64});
    ASSERT_EQ(found.bits[0], oracle_bits(reduction::dot, to_any(data.a), to_any(data.b), 0, element_type::float64));
    ++all, same += found.bits[0] == found.bits[1];
  }
  EXPECT_GT(all, 10);
  EXPECT_LT(2 * same, all) << "the test would not notice a missing element";
}

TEST_F(cuda_state_words, have_no_root_if_negative) {
  const core::state_layout layout = core::layout_of<double>();
  accumulator<double> sum;
  sum.add(-4.0);
  const words negative = copy_of(sum.words());
  sum.clear(), sum.add(4.0);
  words minus = copy_of(sum.words()), plus = minus;
  minus[static_cast<std::size_t>(layout.negative_infinities())] = 1;
  plus[static_cast<std::size_t>(layout.positive_infinities())] = 1;
  state_calls on;
  const row_set given{sums_of(element_type::float64), {negative, minus, plus, copy_of(sum.words())}, 0};
  const row_results found = on.round(given, {reduction::nrm2, element_type::float64});
  EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0x7ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000,
                                                    0x4000000000000000}));
  EXPECT_EQ(found.status, no_problem);
}

/// A mean of no elements is NaN, but that of an infinite sum its infinity.
TEST_F(cuda_state_words, have_no_mean_without_elements) {
  accumulator<float> sum;
  sum.add(4.0F);
  words plus = copy_of(sum.words());
  plus[static_cast<std::size_t>(core::layout_of<float>().positive_infinities())] = 1;
  state_calls on;
  const row_set given{sums_of(element_type::float32), {copy_of(sum.words()), plus}, 0};
  EXPECT_EQ(on.round(given, {reduction::mean, element_type::float32, 0}).bits,
            (std::vector<std::uint64_t>{0x7fc00000, 0x7f800000}));
}

/// A sum one unit of the lowest bit above a tie, so that every limb below the result's bits decides.
TEST_F(cuda_state_words, heed_the_last_bit) {
  accumulator<double> tie;
  tie.add(1.0), tie.add(0x1p-53);
  const words exact = copy_of(tie.words());
  words above = exact;
  above[0] = 1;
  state_calls on;
  const row_results found =
      on.round({sums_of(element_type::float64), {exact, above}, 0}, {reduction::sum, element_type::float64});
  EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0x3ff0000000000000, 0x3ff0000000000001}));
}

}  // namespace
