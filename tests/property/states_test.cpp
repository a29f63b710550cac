// States of rows, columns, segments and groups: the words are those of the integer oracle and of accumulators, in
// both forms; shards merged in any order give the words of the whole, and its result.
#include <gtest/gtest.h>

#include <numeric>

#include "oracle/cases.hpp"
#include "property/state_data.hpp"

namespace {

using namespace states_test;

struct shape_data {
  std::size_t results, n;
  std::vector<std::size_t> result_of, place_of;  ///< of every element that counts
};

/// One call adds to `words`, which may hold anything; expected[i]: the state of result i.
class random_call {
 public:
  random_call(rng& random, reduction what, element_type type, state_form form, std::size_t largest)
      : what_(what), type_(type), form_(form), random_(random), largest_(largest) {}

  /// Rows, columns, segments or groups: their states must be the oracle's.
  void check(int kind) {
    threads_ = static_cast<int>(random_.below(9));
    if (kind == 0) return check_grid();
    if (kind == 1) return check_segments();
    check_groups();
  }

 private:
  [[nodiscard]] std::size_t words() const { return state_format{what_, type_, form_}.words(); }
  [[nodiscard]] options chosen() const {
    return {.mode = random_.coin() ? mode::exact : mode::fast, .threads = threads_};
  }

  void check_grid() {
    const std::size_t m = 1 + random_.below(random_.coin() ? 6 : 70), n = random_.below(largest_ / m + 2);
    const random_elements a(random_, type_, m * n), b(random_, type_, m * n);
    const auto size = static_cast<std::ptrdiff_t>(size_of(type_));
    const bool columns = random_.coin(), repeated = random_.below(4) == 0;
    const auto step = columns ? size : size * static_cast<std::ptrdiff_t>(n);
    const axis rows{m, step}, elements{n, columns ? size * static_cast<std::ptrdiff_t>(m) : size};
    const axis rows_of_b{m, repeated ? 0 : step};
    const auto place = [&](std::size_t i, std::size_t k) { return columns ? k * m + i : i * n + k; };
    std::vector<expected_state> expected(m, {what_, type_});
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        expected[i].add(a.number(place(i, k)), b.number(place(repeated ? 0 : i, k)));
      }
    }
    const any_grid x{a.bytes.data(), type_, {&rows, 1}, {&elements, 1}, a.swapped},
        y{b.bytes.data(), type_, {&rows_of_b, 1}, {&elements, 1}, b.swapped};
    compare(expected, [&](state_span to) {
      return what_ == reduction::dot ? dot_into(x, y, to, form_, chosen())
                                     : reduce_into(what_, x, to, form_, chosen());
    });
  }

  void check_segments() {
    const std::size_t n = random_.below(largest_);
    const random_elements a(random_, type_, n), b(random_, type_, n);
    std::vector<std::int32_t> offsets{static_cast<std::int32_t>(random_.below(n / 4 + 1))};
    while (offsets.size() < 30 && random_.below(12) != 0) {
      const auto left = n - static_cast<std::size_t>(offsets.back());
      offsets.push_back(offsets.back() +
                        static_cast<std::int32_t>(random_.below(random_.coin() ? 3 : left + 1) % (left + 1)));
    }
    std::vector<expected_state> expected(offsets.size() - 1, {what_, type_});
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      for (auto k = static_cast<std::size_t>(offsets[i]); k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
        expected[i].add(a.number(k), b.number(k));
      }
    }
    const any_offsets at{offsets.data(), offsets.size() - 1, element_type::int32, sizeof(std::int32_t)};
    compare(expected, [&](state_span to) {
      return what_ == reduction::dot ? dot_into(a.vector(0, n), b.vector(0, n), at, to, form_, chosen())
                                     : reduce_into(what_, a.vector(0, n), at, to, form_, chosen());
    });
  }

  void check_groups() {
    const std::size_t n = random_.below(largest_), groups = 1 + random_.below(random_.coin() ? 5 : 200);
    const random_elements a(random_, type_, n), b(random_, type_, n);
    std::vector<std::int64_t> keys(n);
    for (std::int64_t& key : keys) key = static_cast<std::int64_t>(random_.below(groups + 2)) - 1;
    if (random_.below(4) == 0) std::ranges::sort(keys);
    std::vector<expected_state> expected(groups, {what_, type_});
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] >= 0 && std::cmp_less(keys[i], groups)) {
        expected[static_cast<std::size_t>(keys[i])].add(a.number(i), b.number(i));
      }
    }
    const axis elements{n, static_cast<std::ptrdiff_t>(size_of(type_))};
    const any_grid x{a.bytes.data(), type_, {}, {&elements, 1}, a.swapped},
        y{b.bytes.data(), type_, {}, {&elements, 1}, b.swapped};
    const any_keys by{keys.data(), n, element_type::int64, sizeof(std::int64_t), groups, true};
    compare(expected, [&](state_span to) {
      return what_ == reduction::dot ? dot_into(x, y, by, to, form_, chosen())
                                     : reduce_into(what_, x, by, to, form_, chosen());
    });
  }

  /// The call on empty states gives the expected words; on others, which hold something, it adds these to them.
  template <class Call>
  void compare(const std::vector<expected_state>& expected, Call call) {
    std::vector<std::int64_t> got(expected.size() * words()), wanted;
    for (const expected_state& each : expected) {
      const auto state = each.words(form_);
      ASSERT_EQ(state.size(), words());
      wanted.insert(wanted.end(), state.begin(), state.end());
    }
    call(got);
    ASSERT_EQ(got, wanted) << name_of(what_) << " of " << name_of(type_) << ", " << threads_ << " threads";
    call(got);
    for (std::int64_t& word : wanted) word *= 2;
    ASSERT_EQ(got, wanted) << "added twice";
  }

  reduction what_;
  element_type type_;
  state_form form_;
  rng& random_;
  std::size_t largest_;
  int threads_ = 1;
};

TEST(states, are_those_of_the_oracle) {
  rng random(11);
  for (int i = 0; i < oracle::scaled(12'000); ++i) {
    const auto what = summing[random.below(summing.size())];
    const element_type type = elements[random.below(elements.size())].type;
    random_call call(random, what, type, random.coin() ? state_form::full : state_form::compact, 300);
    call.check(static_cast<int>(random.below(3)));
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Lines that several threads compute together, and groups that exceed a buffer.
TEST(states, are_those_of_the_oracle_with_many_elements) {
  rng random(12);
  for (int i = 0; i < oracle::scaled(64); ++i) {
    const auto what = summing[static_cast<std::size_t>(i) % summing.size()];
    const element_type type = elements[random.below(elements.size())].type;
    random_call call(random, what, type, random.coin() ? state_form::full : state_form::compact, 400'000);
    call.check(i % 3);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// The full form is that of accumulator<T> and moments<T>.
TEST(states, are_those_of_accumulators) {
  rng random(13);
  for (const element_info& info : elements) {
    with_element(info.type, [&]<class T>(T) {
      constexpr std::size_t m = 3, n = 50;
      const random_elements data(random, info.type, m * n);
      std::vector<T> x(m * n);
      std::memcpy(x.data(), data.bytes.data(), m * n * sizeof(T));
      std::vector<std::int64_t> sums(m * state_words<T>(reduction::sum)),
          dots = sums, all(m * state_words<T>(reduction::variance));
      sum_into(rows{x.data(), m, n}, sums);
      dot_into(rows{x.data(), m, n}, repeated{x.data(), n}, dots);
      moments_into(rows{x.data(), m, n}, all);
      for (std::size_t i = 0; i < m; ++i) {
        const auto row = std::span<const T>(x).subspan(i * n, n);
        accumulator<T> sum, dot;
        moments<T> both;
        sum.add(row), dot.add(row, std::span<const T>(x).first(n)), both.add(row);
        const auto words_at = [&](const std::vector<std::int64_t>& words) {
          const std::size_t each = words.size() / m;
          return std::vector(words.begin() + static_cast<std::ptrdiff_t>(i * each),
                             words.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
        };
        EXPECT_TRUE(std::ranges::equal(words_at(sums), sum.words())) << info.name;
        EXPECT_TRUE(std::ranges::equal(words_at(dots), dot.words())) << info.name;
        EXPECT_TRUE(std::ranges::equal(words_at(all), both.words())) << info.name;
      }
    });
  }
}

/// The results that states of a reduction have.
std::vector<reduction> results_of(reduction what) {
  using enum reduction;
  if (what == sum_of_squares || what == nrm2) return {sum_of_squares, nrm2};
  if (what == mean) return {mean, sum};
  if (what == variance || what == stddev) return {variance, stddev, mean, sum, sum_of_squares, nrm2};
  return {what};
}

/// Rows in shards, by ranges of their elements.
struct sharded_rows {
  std::size_t m, n;
  random_elements a, b;
  std::vector<std::size_t> borders;  ///< of the shards: the first is 0, the last n

  sharded_rows(rng& random, element_type type, std::size_t rows, std::size_t length, std::size_t shards)
      : m(rows), n(length), a(random, type, rows * length), b(random, type, rows * length), borders{0, length} {
    b.swapped = a.swapped;
    while (borders.size() <= shards) borders.push_back(random.below(length + 1));
    std::ranges::sort(borders);
  }
  [[nodiscard]] std::size_t shards() const { return borders.size() - 1; }

  /// Adds a shard's states to words.
  void add(std::size_t shard, reduction what, state_form form, std::vector<std::int64_t>& words) const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(a.type));
    const axis results{m, static_cast<std::ptrdiff_t>(n) * size},
        elements{borders[shard + 1] - borders[shard], size};
    const auto grid = [&](const random_elements& x) {
      return any_grid{x.bytes.data() + static_cast<std::ptrdiff_t>(borders[shard]) * size,
                      x.type,
                      {&results, 1},
                      {&elements, 1},
                      x.swapped};
    };
    if (what == reduction::dot) return dot_into(grid(a), grid(b), words, form, {.threads = 1});
    reduce_into(what, grid(a), words, form, {.threads = 1});
  }
};

/// The states of all shards, merged two at a time in a random order, by plain additions, by merge_states or
/// normalised.
std::vector<std::int64_t> merged_shards(rng& random, const sharded_rows& data, const state_format& of,
                                        std::size_t without = ~std::size_t{0}) {
  std::vector<std::vector<std::int64_t>> parts;
  for (std::size_t i = 0; i < data.shards(); ++i) {
    std::vector<std::int64_t> words(data.m * of.words());
    if (i != without) data.add(i, of.what, of.form, words);
    parts.push_back(words);
  }
  while (parts.size() > 1) {
    random.shuffle(parts);
    std::vector<std::int64_t> last = parts.back();
    parts.pop_back();
    if (random.below(4) == 0) normalise_states(of, last);
    if (random.coin()) {
      merge_states(of, last, parts.back());
    } else {
      for (std::size_t i = 0; i < last.size(); ++i) parts.back()[i] += last[i];
    }
  }
  return parts.front();
}

/// Shards in any order are the whole: its words, once normalised, and its results.
TEST(states, of_shards_are_those_of_the_whole) {
  rng random(14);
  for (int i = 0; i < oracle::scaled(2'400); ++i) {
    const auto what = summing[random.below(summing.size())];
    const element_type type = elements[random.below(elements.size())].type;
    const state_format of{what, type, random.coin() ? state_form::full : state_form::compact};
    const sharded_rows data(random, type, 1 + random.below(4), random.below(60), 1 + random.below(7));
    auto merged = merged_shards(random, data, of);
    for (const reduction finish : results_of(what)) {
      const element_type result = elements[random.below(4)].type;
      std::vector<std::uint64_t> out(data.m);
      const axis places{data.m, sizeof(std::uint64_t)};
      round_states(of, finish, merged, {out.data(), result, {&places, 1}, false}, 1);
      for (std::size_t k = 0; k < data.m; ++k) {
        const any_vector x = data.a.vector(k * data.n, data.n), y = data.b.vector(k * data.n, data.n);
        const any_scalar whole = finish == reduction::dot ? dot(x, y, result) : reduce(finish, x, result, {}, 1);
        ASSERT_EQ(out[k], whole.bits) << name_of(finish) << " of " << name_of(type) << " to " << name_of(result)
                                      << " from states of " << name_of(what);
      }
    }
    normalise_states(of, merged);
    std::vector<std::int64_t> once(merged.size());
    const sharded_rows whole = [&] {
      sharded_rows all = data;
      all.borders = {0, data.n};
      return all;
    }();
    whole.add(0, what, of.form, once);
    ASSERT_EQ(merged, once) << name_of(what) << " of " << name_of(type);
  }
}

/// The compact form is a range of the full form's limbs, and nothing is lost on the way back.
TEST(states, compact_is_a_range_of_full) {
  rng random(15);
  for (int i = 0; i < oracle::scaled(2'400); ++i) {
    const auto what = summing[random.below(summing.size())];
    const element_type type = elements[random.below(elements.size())].type;
    const state_format full{what, type, state_form::full}, compact{what, type, state_form::compact};
    const sharded_rows data(random, type, 3, 1 + random.below(20), 3);
    const auto words = merged_shards(random, data, full), short_words = merged_shards(random, data, compact);
    std::vector<std::int64_t> converted(3 * compact.words()), back(3 * full.words());
    convert_states(full, words, state_form::compact, converted);
    convert_states(compact, short_words, state_form::full, back);
    auto canonical = words, short_canonical = short_words;
    normalise_states(full, canonical), normalise_states(compact, short_canonical);
    ASSERT_EQ(converted, short_canonical) << name_of(what) << " of " << name_of(type);
    ASSERT_EQ(back, canonical) << name_of(what) << " of " << name_of(type);
    if (what != reduction::sum) continue;
    const expected_limbs& range = compact_limbs[static_cast<std::size_t>(type)];
    const int lowest = is_integer(type) ? 0 : type == element_type::float64 ? -2148 : -298;
    const auto first = static_cast<std::size_t>((range.lowest - lowest) / 32);
    for (std::size_t state = 0; state < 3; ++state) {
      for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(range.of_values); ++k) {
        ASSERT_EQ(converted[state * compact.words() + k], canonical[state * full.words() + first + k]);
      }
    }
  }
}

/// A test that misses a dropped shard would be none.
TEST(states, a_dropped_shard_shows) {
  rng random(16);
  for (int i = 0; i < 200; ++i) {
    const element_type type = elements[random.below(elements.size())].type;
    const state_format of{reduction::mean, type, random.coin() ? state_form::full : state_form::compact};
    const sharded_rows data(random, type, 2, 40, 4);
    const std::size_t dropped = random.below(data.shards());
    if (data.borders[dropped] == data.borders[dropped + 1]) continue;
    auto whole = merged_shards(random, data, of), others = merged_shards(random, data, of, dropped);
    normalise_states(of, whole), normalise_states(of, others);
    EXPECT_NE(whole, others);
  }
}

/// Many columns of values by one key: the states of groups come first, then those of the columns.
TEST(states, of_groups_of_several_columns) {
  const std::vector<float> x = {1, 10, 2, 20, 3, 30};  // 3 elements of 2 columns
  const std::vector<std::int32_t> keys = {1, 0, 1};
  const axis results{2, sizeof(float)}, elements{3, 2 * sizeof(float)};
  const any_keys by{keys.data(), 3, element_type::int32, sizeof(std::int32_t), 2, false};
  const state_format of{reduction::sum, element_type::float32, state_form::compact};
  std::vector<std::int64_t> words(4 * of.words());
  reduce_into(reduction::sum, {x.data(), element_type::float32, {&results, 1}, {&elements, 1}, false}, by, words,
              state_form::compact);
  std::vector<double> out(4);
  round_states(of, words, out);
  EXPECT_EQ(out, (std::vector<double>{2, 20, 4, 40}));
}

}  // namespace
