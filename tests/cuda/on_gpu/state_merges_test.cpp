// Merging words of states: the words of the CPU's states; limits; words that are no states, which stay as they are,
// and have no result.
#include <cuda/words/rows.hpp>
#include <functional>

#include "cuda/on_gpu/state_words.hpp"

namespace {

using namespace on_gpu;
using namespace exactdot::cuda_engine;

class cuda_state_merges : public needs_gpu {};

/// Rows with one problem each beside a row without.
TEST_F(cuda_state_merges, refuse_what_is_no_sum_of_states) {
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
    state_calls on;
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
TEST_F(cuda_state_merges, of_integers_count_no_special_terms) {
  const core::state_layout layout = core::layout_of(element_type::int32);
  words bad(static_cast<std::size_t>(layout.words()), 0);
  bad[static_cast<std::size_t>(layout.nans())] = bad.back() = 1;
  state_calls on;
  const row_set given{sums_of(element_type::int32), {bad}, 0};
  EXPECT_EQ(on.round(given, {reduction::sum, element_type::float64}).status, impossible_words);
}

TEST_F(cuda_state_merges, at_their_limits_are_accepted) {
  const core::state_layout layout = core::layout_of<double>();
  words empty(static_cast<std::size_t>(layout.words()), 0), least = empty, greatest = empty;
  least[static_cast<std::size_t>(layout.limbs - 1)] = -layout.top_limit(), least.back() = 1;
  greatest[static_cast<std::size_t>(layout.limbs - 1)] = layout.top_limit() - 1, greatest.back() = max_states;
  state_calls on;
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

TEST_F(cuda_state_merges, merge_as_accumulators_do) {
  for (unsigned seed = 1; seed <= static_cast<unsigned>(oracle::scaled(10)); ++seed) {
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
    state_calls on(seed);
    unsigned status = 0;
    ASSERT_EQ(on.merge(given, &others, status), expected) << seed;
    EXPECT_EQ(status, 0U);
  }
}

/// Every format in both forms, as the host's merge_states and normalise_states.
TEST_F(cuda_state_merges, merge_as_those_of_the_host) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
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
    state_calls on(seed);
    unsigned status = 0;
    ASSERT_EQ(on.merge(given, &others, status), expected) << name_of(format.what) << ", seed " << seed;
    EXPECT_EQ(status, 0U);
  }
}

/// Compact states of integers have one word after their limbs: rows and what follows them stay apart.
TEST_F(cuda_state_merges, of_integers_merge_in_compact_form) {
  const std::vector<std::int32_t> x = {1, -5, 2147483647}, y = {7, -2147483647, 3, 3};
  for (const reduction what : {reduction::sum, reduction::mean, reduction::variance}) {
    const state_format format{what, element_type::int32, state_form::compact};
    const words first = words_of_ranks(format, x, x, 2), second = words_of_ranks(format, y, y, 3);
    words sum = first;
    merge_states(format, second, sum);
    normalise_states(format, sum);
    const row_set given{format, {first, first, first}, 0}, others{format, {second, second, second}, 1};
    state_calls on;
    unsigned status = 0;
    EXPECT_EQ(on.merge(given, &others, status), (std::vector<words>{sum, sum, sum})) << name_of(what);
    EXPECT_EQ(status, 0U);
    const row_results found = on.round({format, {sum, first, sum}, 2}, {reduction::sum, element_type::int64});
    EXPECT_EQ(found.bits, (std::vector<std::uint64_t>{9, 2147483643, 9}));
    EXPECT_EQ(found.status, 0U);
  }
}

TEST_F(cuda_state_merges, merge_moments_or_leave_them) {
  const std::vector<float> x = {1, 2, 4}, y = {-8, 0.5F};
  moments<float> first, second;
  first.add(std::span<const float>(x)), second.add(std::span<const float>(y));
  const row_set given{moments_of(element_type::float32), {copy_of(first.words()), copy_of(first.words())}, 0};
  row_set others{moments_of(element_type::float32), {copy_of(second.words()), copy_of(second.words())}, 3};
  others.rows[1].back() = -1;  // of the squares; the sum could be merged
  state_calls on;
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

}  // namespace
