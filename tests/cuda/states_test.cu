// Kernels that round and merge words of states: results of summed words of several ranks against the integer
// oracle, by bits; words with every carry that a sum may hold; limits; words that are no states.
//
// Sabotage: a rank that drops an element, and words with one unit too much, must change results.
// clang-format off: on the simulator the next header defines what the kernels are written with
#include <exactdot/simt/cuda.hpp>
// clang-format on

#include <cstring>
#include <exactdot/moments.hpp>
#include <exactdot/states.hpp>
#include <functional>

#include "../oracle/cases.hpp"
#include "../oracle/reference.hpp"
#include "state_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr std::int64_t max_states = core::state_layout::max_states;

words& operator+=(words& sum, const words& added) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
  return sum;
}

template <class Span>
words copy_of(const Span& from) {
  return {from.begin(), from.end()};
}

constexpr state_format sums_of(element_type type) { return {reduction::sum, type}; }
constexpr state_format moments_of(element_type type) { return {reduction::variance, type}; }

/// The words of one state, by accumulators and moments of the CPU; in compact form by convert_states.
template <class T>
words words_of(const state_format& format, std::span<const T> a, std::span<const T> b) {
  const state_format full{format.what, format.type};
  words found;
  if (format.what == reduction::variance) {
    moments<T> all;
    all.add(a);
    found = copy_of(all.words());
  } else {
    accumulator<T> sum;
    if (format.what == reduction::dot) sum.add(a, b);
    if (format.what == reduction::sum || format.what == reduction::mean) sum.add(a);
    if (format.what == reduction::sum_of_squares || format.what == reduction::nrm2) sum.add_squares(a);
    found = copy_of(sum.words());
    if (format.what == reduction::mean) found.insert(found.begin(), static_cast<std::int64_t>(a.size()));
  }
  EXPECT_EQ(found.size(), full.words());
  if (format.form == state_form::full) return found;
  words compact(format.words());
  convert_states(full, found, format.form, compact);
  return compact;
}

/// The words of so many ranks, summed; `dropped`: an element that its rank forgets.
template <class T>
words words_of_ranks(const state_format& format, const std::vector<T>& a, const std::vector<T>& b,
                     std::size_t ranks, std::size_t dropped = SIZE_MAX) {
  words total(format.words(), 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t first = a.size() * rank / ranks, end = a.size() * (rank + 1) / ranks;
    std::vector<T> x(a.begin() + static_cast<std::ptrdiff_t>(first), a.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<T> y(b.begin() + static_cast<std::ptrdiff_t>(first), b.begin() + static_cast<std::ptrdiff_t>(end));
    if (dropped >= first && dropped < end) {
      x.erase(x.begin() + static_cast<std::ptrdiff_t>(dropped - first));
      y.erase(y.begin() + static_cast<std::ptrdiff_t>(dropped - first));
    }
    total += words_of<T>(format, x, y);
  }
  return total;
}

struct test_row {
  std::string name;
  std::uint64_t expected;
};

std::uint64_t oracle_bits(reduction what, const any_vector& a, const any_vector& b, std::int64_t ddof,
                          element_type type) {
  return oracle::reference(what, a, b, ddof).exact(type)->bits;
}

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
  state_launcher on(seed);
  const row_results found = on.round(given, {what, type, n, seed % 2}, 1 + seed % 5);
  EXPECT_EQ(found.status, 0U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(found.bits[i], rows[i].expected)
        << name_of(what) << " to " << name_of(type) << " of " << rows[i].name << ", seed " << seed
        << (format.form == state_form::full ? ", full" : ", compact");
  }
}

template <class T>
void expect_all_results(unsigned salt) {
  constexpr element_type types[] = {element_type::float32, element_type::float64, element_type::float16,
                                    element_type::bfloat16, element_type::float8_e4m3fn, element_type::float8_e5m2};
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(40)); ++i) {
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

TEST_F(states, of_several_ranks_equal_the_oracle) {
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
  state_launcher on(seed);
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

TEST_F(states, of_integers_equal_the_oracle) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(12)); ++seed) {
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

TEST_F(states, propagate_every_carry) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(120)); ++seed) {
    for (const element_type type : {element_type::float32, element_type::float64, element_type::int64}) {
      oracle::rng random(seed);
      const core::state_layout layout = core::layout_of(type);
      row_set given{sums_of(type), {}, 0};
      for (int i = 0; i < 20; ++i) {
        const std::int64_t summed = i % 3 == 0 ? 1 : i % 3 == 1 ? max_states : 1 + random.below(1000);
        given.rows.push_back(random_words(random, layout, summed));
      }
      state_launcher on(seed);
      const row_results found = on.round(given, {reduction::sum, element_type::float64}, 1 + seed % 3);
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

/// Rows with one problem each beside a row without.
TEST_F(states, refuse_what_is_no_sum_of_states) {
  const core::state_layout layout = core::layout_of<float>();
  accumulator<float> three;
  three.add(3.0F);
  const words good = copy_of(three.words());
  struct broken {
    std::function<void(words&)> by;
    row_problem problem;
  };
  const std::vector<broken> all = {
      {[](words& w) { w.back() = -1; }, impossible_words},
      {[](words& w) { w.back() = 0; }, impossible_words},
      {[](words& w) { w[0] = -1; }, impossible_words},
      {[](words& w) { w[7] = 0x100000000; }, impossible_words},
      {[&](words& w) { w[layout.nans()] = -1; }, impossible_words},
      {[&](words& w) { w[layout.negative_infinities()] = (std::int64_t{1} << 31) + 1; }, impossible_words},
      {[](words& w) { w.back() = max_states + 1; }, no_headroom},
      {[&](words& w) { w[layout.limbs - 1] = layout.top_limit(); }, no_headroom},
      {[&](words& w) { w[layout.limbs - 1] = -layout.top_limit() - 1; }, no_headroom},
      {[&](words& w) { w[layout.limbs - 1] = INT64_MIN; }, no_headroom},
  };
  for (const broken& each : all) {
    words bad = good;
    each.by(bad);
    const row_set given{sums_of(element_type::float32), {good, bad, good}, 2};
    state_launcher on;
    const row_results found = on.round(given, {reduction::sum, element_type::float32});
    EXPECT_EQ(found.status, each.problem);
    EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0x40400000, 0x7fc00000, 0x40400000}));
    const row_set others{sums_of(element_type::float32), {good, good, good}, 0};
    unsigned status = 0;
    const std::vector<words> merged = on.merge(given, &others, status);
    EXPECT_EQ(status, each.problem);
    EXPECT_EQ(merged[1], bad) << "a row with a problem was changed";
    three.clear(), three.add(6.0F);
    EXPECT_EQ(merged[0], copy_of(three.words()));
    EXPECT_EQ(merged[2], merged[0]);
    three.clear(), three.add(3.0F);
  }
}

/// No integer is NaN or infinite.
TEST_F(states, of_integers_count_no_special_terms) {
  const core::state_layout layout = core::layout_of(element_type::int32);
  words bad(static_cast<std::size_t>(layout.words()), 0);
  bad[static_cast<std::size_t>(layout.nans())] = bad.back() = 1;
  state_launcher on;
  const row_set given{sums_of(element_type::int32), {bad}, 0};
  EXPECT_EQ(on.round(given, {reduction::sum, element_type::float64}).status, impossible_words);
}

TEST_F(states, at_their_limits_are_accepted) {
  const core::state_layout layout = core::layout_of<double>();
  words empty(static_cast<std::size_t>(layout.words()), 0), least = empty, greatest = empty;
  least[static_cast<std::size_t>(layout.limbs - 1)] = -layout.top_limit(), least.back() = 1;
  greatest[static_cast<std::size_t>(layout.limbs - 1)] = layout.top_limit() - 1, greatest.back() = max_states;
  state_launcher on;
  const row_set given{sums_of(element_type::float64), {empty, least, greatest}, 0};
  const row_results found = on.round(given, {reduction::sum, element_type::float64});
  EXPECT_EQ(found.status, 0U);
  EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0, 0xfff0000000000000, 0x7ff0000000000000}));
  unsigned status = 0;
  static_cast<void>(on.merge(given, &given, status));
  EXPECT_EQ(status, no_headroom);
  words most = empty;
  most.back() = max_states;
  const row_set many{sums_of(element_type::float64), {most}, 0};
  EXPECT_EQ(on.merge(many, &many, status)[0], most);
  EXPECT_EQ(status, no_headroom) << "more states than limbs have room for";
}

TEST_F(states, merge_as_accumulators_do) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(40)); ++seed) {
    oracle::rng random(seed);
    row_set given{sums_of(element_type::float64), {}, seed % 4}, others{sums_of(element_type::float64), {}, 1};
    std::vector<words> expected;
    for (const auto& source : oracle::generators<double>()) {
      const auto first = source.make(random, 5), second = source.make(random, 4);
      given.rows.push_back(words_of_ranks({reduction::dot, element_type::float64}, first.a, first.b, 3));
      others.rows.push_back(words_of_ranks({reduction::dot, element_type::float64}, second.a, second.b, 2));
      accumulator<double> sum(given.rows.back());
      sum.merge(accumulator<double>(others.rows.back()));
      expected.push_back(copy_of(sum.words()));
    }
    state_launcher on(seed);
    unsigned status = 0;
    ASSERT_EQ(on.merge(given, &others, status), expected) << seed;
    EXPECT_EQ(status, 0U);
  }
}

/// Every format in both forms, as the host's merge_states and normalise_states.
TEST_F(states, merge_as_those_of_the_host) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    oracle::rng random(seed);
    const reduction what[] = {reduction::dot,  reduction::sum,      reduction::nrm2,
                              reduction::mean, reduction::variance, reduction::variance};
    const state_form form = seed % 2 == 0 ? state_form::compact : state_form::full;
    const state_format format{what[seed / 2 % 6], element_type::float32, form};
    row_set given{format, {}, seed % 3}, others{format, {}, 0};
    std::vector<words> expected;
    for (const auto& source : oracle::generators<float>()) {
      const auto first = source.make(random, 5), second = source.make(random, 4);
      given.rows.push_back(words_of_ranks(format, first.a, first.b, 3));
      others.rows.push_back(words_of_ranks(format, second.a, second.b, 2));
      words sum = given.rows.back();
      merge_states(format, others.rows.back(), sum);
      normalise_states(format, sum);
      expected.push_back(sum);
    }
    state_launcher on(seed);
    unsigned status = 0;
    ASSERT_EQ(on.merge(given, &others, status), expected) << name_of(format.what) << ", seed " << seed;
    EXPECT_EQ(status, 0U);
  }
}

/// Compact states of integers have one word after their limbs: rows and what follows them stay apart.
TEST_F(states, of_integers_merge_in_compact_form) {
  const std::vector<std::int32_t> x = {1, -5, 2147483647}, y = {7, -2147483647, 3, 3};
  for (const reduction what : {reduction::sum, reduction::mean, reduction::variance}) {
    const state_format format{what, element_type::int32, state_form::compact};
    const words first = words_of_ranks(format, x, x, 2), second = words_of_ranks(format, y, y, 3);
    words sum = first;
    merge_states(format, second, sum);
    normalise_states(format, sum);
    const row_set given{format, {first, first, first}, 0}, others{format, {second, second, second}, 1};
    state_launcher on;
    unsigned status = 0;
    EXPECT_EQ(on.merge(given, &others, status), (std::vector<words>{sum, sum, sum})) << name_of(what);
    EXPECT_EQ(status, 0U);
    const row_results found = on.round({format, {sum, first, sum}, 2}, {reduction::sum, element_type::int64});
    EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{9, 2147483643, 9}));
    EXPECT_EQ(found.status, 0U);
  }
}

TEST_F(states, merge_moments_or_leave_them) {
  const std::vector<float> x = {1, 2, 4}, y = {-8, 0.5F};
  moments<float> first, second;
  first.add(std::span<const float>(x)), second.add(std::span<const float>(y));
  const row_set given{moments_of(element_type::float32), {copy_of(first.words()), copy_of(first.words())}, 0};
  row_set others{moments_of(element_type::float32), {copy_of(second.words()), copy_of(second.words())}, 3};
  others.rows[1].back() = -1;  // of the squares; the sum could be merged
  state_launcher on;
  unsigned status = 0;
  const std::vector<words> merged = on.merge(given, &others, status);
  first.merge(second);
  EXPECT_EQ(merged[0], copy_of(first.words()));
  EXPECT_EQ(merged[1], given.rows[1]);
  EXPECT_EQ(status, impossible_words);
  row_set negative = given;
  negative.rows[0][0] = -5;
  const row_results found = on.round(negative, {reduction::mean, element_type::float64});
  EXPECT_EQ(found.status, impossible_words);
  row_set no_elements = given;
  no_elements.rows[0][0] = 1;  // of three elements: n·Σx² − (Σx)² is negative
  EXPECT_EQ(on.round(no_elements, {reduction::variance, element_type::float64}).status, impossible_words);
  row_set uneven = given;
  uneven.rows[0].back() = 2;  // of the squares: two states, of the sum one
  EXPECT_EQ(on.round(uneven, {reduction::variance, element_type::float64}).status, impossible_words);
}

TEST_F(states, lose_bits_if_a_rank_drops_an_element) {
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
    state_launcher on(seed);
    const row_results found = on.round(given, {reduction::dot, element_type::float64});
    ASSERT_EQ(found.bits[0], oracle_bits(reduction::dot, to_any(data.a), to_any(data.b), 0, element_type::float64));
    ++all, same += found.bits[0] == found.bits[1];
  }
  EXPECT_GT(all, 10);
  EXPECT_LT(2 * same, all) << "the test would not notice a missing element";
}

TEST_F(states, have_no_root_if_negative) {
  const core::state_layout layout = core::layout_of<double>();
  accumulator<double> sum;
  sum.add(-4.0);
  const words negative = copy_of(sum.words());
  sum.clear(), sum.add(4.0);
  words minus = copy_of(sum.words()), plus = minus;
  minus[static_cast<std::size_t>(layout.negative_infinities())] = 1;
  plus[static_cast<std::size_t>(layout.positive_infinities())] = 1;
  state_launcher on;
  const row_set given{sums_of(element_type::float64), {negative, minus, plus, copy_of(sum.words())}, 0};
  const row_results found = on.round(given, {reduction::nrm2, element_type::float64});
  EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0x7ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000,
                                                    0x4000000000000000}));
  EXPECT_EQ(found.status, no_problem);
}

/// A mean of no elements is NaN, but that of an infinite sum its infinity.
TEST_F(states, have_no_mean_without_elements) {
  accumulator<float> sum;
  sum.add(4.0F);
  words plus = copy_of(sum.words());
  plus[static_cast<std::size_t>(core::layout_of<float>().positive_infinities())] = 1;
  state_launcher on;
  const row_set given{sums_of(element_type::float32), {copy_of(sum.words()), plus}, 0};
  EXPECT_EQ(on.round(given, {reduction::mean, element_type::float32, 0}).bits,
            (std::vector<std::uint64_t>{0x7fc00000, 0x7f800000}));
}

/// A sum one unit of the lowest bit above a tie, so that every limb below the result's bits decides.
TEST_F(states, heed_the_last_bit) {
  accumulator<double> tie;
  tie.add(1.0), tie.add(0x1p-53);
  const words exact = copy_of(tie.words());
  words above = exact;
  above[0] = 1;
  state_launcher on;
  const row_results found =
      on.round({sums_of(element_type::float64), {exact, above}, 0}, {reduction::sum, element_type::float64});
  EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{0x3ff0000000000000, 0x3ff0000000000001}));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
