// Groups in records whose keys are skewed: tables of the frequent groups before the records (group/skewed.cuh),
// with keys that are equal, sorted, alternate, have Zipf's frequencies, or meet in one place of the hash table;
// special values in a frequent group; bad keys; counts and extrema. Tables in which two groups share an entry, or
// that have too little room, have to give wrong results.
#include <set>

#include "group_launch.cuh"
#include "oracle/cases.hpp"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class group_skew : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

constexpr std::size_t group_count = 9000;

/// Groups whose place in the hash table is the same.
std::vector<std::int64_t> groups_of_one_slot() {
  std::vector<std::int64_t> found;
  for (unsigned group = 0; group < group_count; ++group) {
    if (slot_of(group) == 77 || slot_of(group) == 78) found.push_back(group);
  }
  return found;
}

constexpr const char* orders[] = {"equal", "alternating", "zipf", "sorted zipf", "one slot", "runs", "mixed"};

std::vector<std::int64_t> keys_of(const std::string& order, oracle::rng& random, std::size_t n) {
  const auto zipf = [&] {
    return std::min<std::int64_t>(static_cast<std::int64_t>(std::exp(random.unit() * std::log(group_count))) - 1,
                                  group_count - 1);
  };
  const std::vector<std::int64_t> of_slot = groups_of_one_slot();
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (order == "equal") keys[i] = 4711;
    if (order == "alternating") keys[i] = i % 2 == 0 ? group_count - 1 : 0;
    if (order == "zipf" || order == "sorted zipf") keys[i] = zipf();
    if (order == "one slot") keys[i] = of_slot[random.below(of_slot.size())];
    if (order == "runs") keys[i] = i / 37 % 3 == 0 ? 5 : static_cast<std::int64_t>(i / 37);
    if (order == "mixed") keys[i] = i / 300 % 2 == 0 ? 7 : zipf();
  }
  if (order == "sorted zipf") std::sort(keys.begin(), keys.end());
  return keys;
}

/// One call, and every result compared; those of groups without elements with each other's.
void expect_skewed(const keyed_elements& of, group_test test, unsigned seed, const std::string& name) {
  test.in_shared = false, test.may_be_skewed = true;
  group_launcher on(seed);
  const group_outcome found = on.run(of, test);
  EXPECT_EQ(found.status.is_skewed, 1U) << name;
  const std::set<std::int64_t> present(of.keys.begin(), of.keys.end());
  std::size_t empty = 0;
  while (present.count(static_cast<std::int64_t>(empty)) != 0) ++empty;
  const std::uint64_t of_empty = expected_of_group(of, test, empty).value_or(0);
  for (std::size_t i = 0; i < of.groups && !testing::Test::HasFailure(); ++i) {
    const bool is_present = present.count(static_cast<std::int64_t>(i)) != 0;
    EXPECT_EQ(found.words[i], is_present ? expected_of_group(of, test, i).value_or(0) : of_empty)
        << name << ": " << name_of(test.what) << " of " << name_of(of.type_a) << " to " << name_of(test.result)
        << ", group " << i << ", " << of.n() << " elements, seed " << seed;
  }
}

constexpr reduction sums[] = {reduction::sum, reduction::mean,     reduction::asum,           reduction::nrm2,
                              reduction::dot, reduction::variance, reduction::sum_of_squares, reduction::stddev};

group_test test_of(unsigned seed, element_type result) {
  group_test test;
  test.what = sums[seed % 8], test.result = result, test.blocks = 1 + seed % 3;
  test.key_type = seed / 4 % 3 == 0   ? element_type::int32
                  : seed / 4 % 3 == 1 ? element_type::int64
                                      : element_type::int16;
  test.skew = seed / 5 % 4, test.ddof = seed % 2, test.room = 100;
  return test;
}

template <class T>
std::vector<T> uniform(oracle::rng& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& each : x) each = static_cast<T>(2 * random.unit() - 1);
  return x;
}

template <class T>
void expect_orders(unsigned cases) {
  for (unsigned seed = 0; seed < 7 * cases; ++seed) {
    const char* const order = orders[seed % 7];
    oracle::rng random(seed);
    const std::size_t n = 500 + random.below(1000);
    const auto keys = keys_of(order, random, n);
    auto x = uniform<T>(random, n);
    if (seed % 3 == 1) {  // terms of every size: flags, and second looks
      for (T& each : x) each = std::ldexp(each, static_cast<int>(random.below(100)) - 50);
    }
    if (seed % 3 == 2) {  // sums that cancel
      for (std::size_t i = 1; i < n; ++i) x[i] = keys[i] == keys[i - 1] ? -x[i - 1] : x[i];
    }
    expect_skewed(keyed(x, uniform<T>(random, n), keys, group_count), test_of(seed, type_of<T>), seed, order);
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(group_skew, of_floats_has_the_bits_of_the_oracle) {
  expect_orders<float>(static_cast<unsigned>(oracle::scaled(5)));
}
TEST_F(group_skew, of_doubles_has_the_bits_of_the_oracle) {
  expect_orders<double>(static_cast<unsigned>(oracle::scaled(5)));
}

TEST_F(group_skew, of_elements_one_by_one_has_the_bits_of_the_oracle) {
  for (unsigned seed = 0; seed < 16; ++seed) {
    oracle::rng random(seed);
    const std::size_t n = 800;
    keyed_elements of;
    of.type_a = of.type_b = seed % 2 == 0 ? element_type::int32 : element_type::float64;
    of.stride = 1 + static_cast<std::ptrdiff_t>(seed / 2 % 2), of.groups = group_count;
    of.swapped = seed % 4 == 3;
    of.keys = keys_of(orders[seed % 7], random, n);
    const std::size_t size = size_of(of.type_a);
    of.a.resize(n * static_cast<std::size_t>(of.stride) * size);
    for (std::size_t i = 0; i < of.a.size(); i += size) {
      std::uint64_t word = random.bits();
      if (of.type_a == element_type::float64) word = core::bit_cast<std::uint64_t>(2 * random.unit() - 1);
      std::memcpy(&of.a[i], &word, size);
      if (of.swapped) std::reverse(&of.a[i], &of.a[i] + size);
    }
    of.b = of.a;
    expect_skewed(of, test_of(seed, element_type::float64), seed, "any");
    if (HasFailure()) return;
  }
}

TEST_F(group_skew, is_found_if_one_group_in_256_elements_is_frequent) {
  for (const std::size_t every : {10U, 200U, 0U}) {
    oracle::rng random(1);
    const std::size_t n = 3 << 14;  // of which a third is sampled
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = every != 0 && i % every == 0 ? 3 : static_cast<std::int64_t>(random.below(group_count));
    }
    const auto of = keyed(std::vector<float>(n, 0.75F), {}, keys, group_count);
    group_test test = test_of(0, element_type::float32);
    test.in_shared = false, test.may_be_skewed = true;
    group_launcher on(1);
    const group_outcome found = on.run(of, test);
    EXPECT_EQ(found.status.is_skewed, every != 0 ? 1U : 0U);
    EXPECT_EQ(found.status.frequent_of_lanes, every == 10 ? 1U : 0U);
    EXPECT_GE(found.status.frequent, every == 200 ? 1U : 0U);  // others are, by chance
    for (const std::size_t group : {0U, 3U, 4U, 8999U}) {
      EXPECT_EQ(found.words[group], expected_of_group(of, test, group)) << every;
    }
  }
}

TEST_F(group_skew, keeps_special_values_in_their_group) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (const double special : {HUGE_VAL, -HUGE_VAL, double{NAN}}) {
      oracle::rng random(seed);
      const auto keys = keys_of(seed % 2 == 0 ? "zipf" : "mixed", random, 900);
      auto x = uniform<double>(random, 900);
      for (std::size_t i = 0; i < 900; ++i) {
        if (keys[i] == (seed % 2 == 0 ? 0 : 7) && random.below(20) == 0) x[i] = special;
      }
      x[random.below(900)] = 0x1p300;  // above the window, perhaps
      expect_skewed(keyed(x, uniform<double>(random, 900), keys, group_count), test_of(seed, element_type::float64),
                    seed, "specials");
      if (HasFailure()) return;
    }
  }
}

TEST_F(group_skew, names_keys_out_of_range) {
  oracle::rng random(1);
  auto of = keyed(uniform<float>(random, 900), {}, keys_of("alternating", random, 900), group_count);
  of.keys[500] = -1, of.keys[321] = group_count, of.keys[899] = 1 << 30;
  group_test test = test_of(0, element_type::float32);
  test.in_shared = false, test.may_be_skewed = true;
  group_launcher on(1);
  const group_outcome found = on.run(of, test);
  EXPECT_EQ(~found.status.bad_key, 321U);
  for (const std::uint64_t word : found.words) ASSERT_EQ(word, unwritten_word & 0xffffffff);
  of.skips = true;
  expect_skewed(of, test, 1, "skipped");
}

TEST_F(group_skew, counts_elements) {
  for (const char* const order : orders) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      oracle::rng random(seed);
      const std::size_t n = 700 + random.below(700);
      keyed_elements of;
      of.groups = group_count, of.type_a = of.type_b = element_type::uint8, of.a.resize(n), of.b.resize(n);
      of.keys = keys_of(order, random, n), of.skips = true;
      of.keys[n / 2] = -1;
      std::vector<std::uint64_t> expected(group_count);
      for (const std::int64_t key : of.keys) {
        if (key >= 0) ++expected[static_cast<std::size_t>(key)];
      }
      group_test test = test_of(seed, element_type::int64);
      test.what = reduction::sum, test.counts = true, test.in_shared = false, test.may_be_skewed = true;
      group_launcher on(seed);
      const group_outcome found = on.run(of, test);
      EXPECT_EQ(found.status.is_skewed, 1U);
      EXPECT_EQ(found.words, expected) << order;
    }
  }
}

TEST_F(group_skew, has_the_extrema_of_the_oracle) {
  for (const element_type type : {element_type::float32, element_type::float64, element_type::int64}) {
    for (unsigned seed = 0; seed < 7; ++seed) {
      oracle::rng random(seed);
      const std::size_t n = 700, size = size_of(type);
      keyed_elements of;
      of.groups = group_count, of.type_a = of.type_b = type, of.a.resize(n * size);
      of.keys = keys_of(orders[seed], random, n);
      for (std::size_t i = 0; i < of.a.size(); i += size) {
        const std::uint64_t word = random.bits() << random.below(9);
        std::memcpy(&of.a[i], &word, size);
      }
      of.b = of.a;
      group_test test = test_of(seed, type);
      test.what = seed % 2 == 0 ? reduction::min : reduction::max;
      test.in_shared = false, test.may_be_skewed = true, test.waits = false;
      group_launcher on(seed);
      const group_outcome found = on.run(of, test);
      EXPECT_EQ(found.status.is_skewed, 1U);
      for (const std::int64_t key : std::set<std::int64_t>(of.keys.begin(), of.keys.end())) {
        const auto group = static_cast<std::size_t>(key);
        EXPECT_EQ(found.words[group], expected_of_group(of, test, group)) << orders[seed] << ", group " << group;
      }
    }
  }
}

/// Of which some results have to be wrong.
void expect_wrong(const keyed_elements& of, const group_test& test, const char* name) {
  group_launcher on;
  const group_outcome found = on.run(of, test);
  EXPECT_EQ(found.status.is_skewed, 1U) << name;
  std::size_t wrong = 0;
  for (const std::int64_t key : std::set<std::int64_t>(of.keys.begin(), of.keys.end())) {
    const auto group = static_cast<std::size_t>(key);
    wrong += found.words[group] != expected_of_group(of, test, group).value_or(0) ? 1 : 0;
  }
  EXPECT_GT(wrong, 0U) << name;
}

TEST_F(group_skew, that_is_sabotaged_is_wrong) {
  oracle::rng random(1);
  group_test test = test_of(0, element_type::float32);
  test.in_shared = false, test.may_be_skewed = true;
  const auto alternating = keyed(uniform<float>(random, 900), {}, keys_of("alternating", random, 900), group_count);
  expect_skewed(alternating, test, 1, "not sabotaged");
  test.before_skewed = [](group_job&, group_job& copied) {  // all groups have the same entries
    auto* const places = reinterpret_cast<std::uint16_t*>(copied.to.frequent + frequent_slots);
    std::fill(places, places + frequent_slots, std::uint16_t{place_of_lanes});
  };
  expect_wrong(alternating, test, "shared entries");
  test.before_skewed = nullptr;
  test.before_finish = [](group_job&, group_job& copied) { copied.to.sums[2 * (group_count - 1) + 1] = 0; };
  expect_wrong(alternating, test, "a lost limb");
  test.before_finish = nullptr;

  const auto equal = keyed(std::vector<float>(3000, 1.9F), {}, std::vector<std::int64_t>(3000, 1), group_count);
  expect_skewed(equal, test, 1, "not sabotaged");
  test.before = [](group_job& job) { job.scheme.bits[0] = 96 + 10; };
  expect_wrong(equal, test, "too little room");
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
