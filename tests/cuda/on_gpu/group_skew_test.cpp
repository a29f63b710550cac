// Groups in records whose keys are skewed: tables of the frequent groups before the records (group/skewed.cuh),
// with keys that are equal, sorted, alternate, have Zipf's frequencies, or meet in one place of the hash table;
// special values in a frequent group; bad keys; counts and extrema. Each group against the oracle's result for its
// elements.
#include <algorithm>
#include <cmath>

#include "cuda/on_gpu/keyed_elements.hpp"

namespace {

using namespace on_gpu;

class cuda_group_skew : public needs_gpu {};

/// A GPU looks for frequent groups from 2^16 elements on.
std::size_t length(oracle::rng& random) { return at_most(70000, 500) + random.below(at_most(50000, 700)); }

/// More than the hash table has slots, where groups shall meet in one.
std::size_t groups_of(const std::string& order) {
  return order == "one slot" ? at_most(20000, 9000) : groups_of_records();
}

/// Groups whose place in the hash table, the highest 12 bits of the hash, is the same or the next.
std::vector<std::int64_t> groups_of_one_slot() {
  std::vector<std::int64_t> found;
  for (unsigned group = 0; group < groups_of("one slot"); ++group) {
    const unsigned slot = group * 0x9e3779b1U >> 20;
    if (slot == 77 || slot == 78) found.push_back(group);
  }
  return found;
}

constexpr const char* orders[] = {"equal", "alternating", "zipf", "sorted zipf", "one slot", "runs", "mixed"};

std::vector<std::int64_t> keys_of(const std::string& order, oracle::rng& random, std::size_t n) {
  const auto count = static_cast<std::int64_t>(groups_of(order));
  const auto zipf = [&] {
    const double group = std::exp(random.unit() * std::log(static_cast<double>(count)));
    return std::min<std::int64_t>(static_cast<std::int64_t>(group) - 1, count - 1);
  };
  const std::vector<std::int64_t> of_slot = groups_of_one_slot();
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (order == "equal") keys[i] = 471;
    if (order == "alternating") keys[i] = i % 2 == 0 ? count - 1 : 0;
    if (order == "zipf" || order == "sorted zipf") keys[i] = zipf();
    if (order == "one slot") keys[i] = of_slot[random.below(of_slot.size())];
    if (order == "runs") keys[i] = i / 37 % 3 == 0 ? 5 : static_cast<std::int64_t>(i / 37) % count;
    if (order == "mixed") keys[i] = i / 300 % 2 == 0 ? 7 : zipf();
  }
  if (order == "sorted zipf") std::sort(keys.begin(), keys.end());
  return keys;
}

void expect_skewed(const keyed_elements& of, group_call asked, const std::string& name) {
  EXPECT_EQ(expect_groups(of, asked, name).is_skewed, 1U) << name;
}

group_call call_of(unsigned seed, element_type result) {
  constexpr element_type keys[] = {element_type::int32, element_type::int64, element_type::int16};
  group_call asked;
  asked.what = sums_of_groups[seed % 8], asked.result = result, asked.key_type = keys[seed / 4 % 3];
  asked.skew = seed / 5 % 4, asked.ddof = seed % 2, asked.schedule = seed;
  asked.multiprocessors = static_cast<int>(1 + seed % 3);
  return asked;
}

template <class T>
void expect_orders(unsigned cases, unsigned first) {
  for (unsigned seed = first; seed < first + 7 * cases; ++seed) {
    const char* const order = orders[seed % 7];
    oracle::rng random(seed);
    const std::size_t n = length(random);
    const auto keys = keys_of(order, random, n);
    auto x = uniform_elements<T>(random, n);
    if (seed % 3 == 1) {  // terms of every size: flags, and second looks
      for (T& each : x) each = std::ldexp(each, static_cast<int>(random.below(100)) - 50);
    }
    if (seed % 3 == 2) {  // sums that cancel
      for (std::size_t i = 1; i < n; ++i) x[i] = keys[i] == keys[i - 1] ? -x[i - 1] : x[i];
    }
    const auto of = keyed(x, uniform_elements<T>(random, n), keys, groups_of(order));
    expect_skewed(of, call_of(seed, type_of<T>), order);
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(cuda_group_skew, of_floats_has_the_bits_of_the_oracle) {
  expect_orders<float>(static_cast<unsigned>(oracle::scaled(3)), 0);
}
TEST_F(cuda_group_skew, of_doubles_has_the_bits_of_the_oracle) {
  expect_orders<double>(static_cast<unsigned>(oracle::scaled(3)), 3);
}

TEST_F(cuda_group_skew, of_elements_one_by_one_has_the_bits_of_the_oracle) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    oracle::rng random(seed);
    const std::size_t n = length(random);
    keyed_elements of;
    of.type_a = of.type_b = seed % 2 == 0 ? element_type::int32 : element_type::float64;
    of.stride = 1 + static_cast<std::ptrdiff_t>(seed / 2 % 2), of.groups = groups_of(orders[seed % 7]);
    of.swapped = seed % 4 == 3;
    of.keys = keys_of(orders[seed % 7], random, n);
    of.a = random_elements(random, of.type_a, n * static_cast<std::size_t>(of.stride), seed % 2 == 1, of.swapped);
    of.b = of.a;
    expect_skewed(of, call_of(seed, element_type::float64), "any");
    if (HasFailure()) return;
  }
}

TEST_F(cuda_group_skew, is_found_if_one_group_in_256_elements_is_frequent) {
  for (const std::size_t every : {10U, 200U, 0U}) {
    oracle::rng random(1);
    const std::size_t n = at_most(3 << 15, 3 << 14);  // of which a third is sampled, or less
    keyed_elements of = keyed(std::vector<float>(n, 0.75F), {}, std::vector<std::int64_t>(n), 20000);
    if (is_simulated()) of.groups = 9000;
    for (std::size_t i = 0; i < n; ++i) {
      of.keys[i] = every != 0 && i % every == 0 ? 3 : static_cast<std::int64_t>(random.below(of.groups));
    }
    const group_status status = expect_groups(of, {}, "every " + std::to_string(every));
    EXPECT_EQ(status.is_skewed, every != 0 ? 1U : 0U);
    EXPECT_EQ(status.frequent_of_lanes, every == 10 ? 1U : 0U);
    EXPECT_GE(status.frequent, every == 200 ? 1U : 0U);  // others are, by chance
  }
}

TEST_F(cuda_group_skew, keeps_special_values_in_their_group) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    constexpr double specials[] = {HUGE_VAL, -HUGE_VAL, NAN};
    oracle::rng random(seed);
    const std::size_t n = length(random);
    const auto keys = keys_of(seed % 2 == 0 ? "zipf" : "mixed", random, n);
    auto x = uniform_elements<double>(random, n);
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] == (seed % 2 == 0 ? 0 : 7) && random.below(20) == 0) x[i] = specials[seed / 2];
    }
    x[random.below(n)] = 0x1p300;  // above the window, perhaps
    expect_skewed(keyed(x, uniform_elements<double>(random, n), keys, groups_of_records()),
                  call_of(seed, element_type::float64), "specials");
    if (HasFailure()) return;
  }
}

TEST_F(cuda_group_skew, names_keys_out_of_range) {
  oracle::rng random(1);
  const std::size_t n = at_most(70000, 900);
  auto of = keyed(uniform_elements<float>(random, n), {}, keys_of("alternating", random, n), groups_of_records());
  of.keys[500] = -1, of.keys[321] = static_cast<std::int64_t>(of.groups), of.keys[899] = 1 << 30;
  group_call asked = call_of(0, element_type::float32);
  EXPECT_EQ(~run(of, asked).status.bad_key, 321U);
  of.skips = true;
  expect_skewed(of, asked, "skipped");
  asked.waits = true, of.skips = false;
  for (const std::uint64_t word : run(of, asked).words) ASSERT_EQ(word, unwritten_word & 0xffffffff);
}

TEST_F(cuda_group_skew, counts_elements) {
  unsigned seed = 0;
  for (const char* const order : orders) {
    oracle::rng random(++seed);
    const std::size_t n = length(random);
    keyed_elements of;
    of.groups = groups_of(order), of.type_a = of.type_b = element_type::uint8, of.a.resize(n), of.b.resize(n);
    of.keys = keys_of(order, random, n), of.skips = true;
    of.keys[n / 2] = -1;
    std::vector<std::uint64_t> expected(of.groups);
    for (const std::int64_t key : of.keys) {
      if (key >= 0) ++expected[static_cast<std::size_t>(key)];
    }
    group_call asked = call_of(seed, element_type::int64);
    asked.what = reduction::sum, asked.counts = true;
    const group_outcome found = run(of, asked);
    EXPECT_EQ(found.status.is_skewed, is_simulated() ? 1U : found.status.is_skewed);  // a GPU has tables
    EXPECT_EQ(found.words, expected) << order;
  }
}

TEST_F(cuda_group_skew, has_the_extrema_of_the_oracle) {
  for (unsigned seed = 0; seed < 7; ++seed) {
    constexpr element_type types[] = {element_type::float32, element_type::float64, element_type::int64};
    oracle::rng random(seed);
    keyed_elements of;
    of.type_a = of.type_b = types[seed % 3], of.groups = at_most(40000, groups_of(orders[seed]));
    of.keys = keys_of(orders[seed], random, length(random));
    for (std::size_t i = 0; i < of.groups; ++i) of.keys.push_back(static_cast<std::int64_t>(i));  // none is empty
    of.a = of.b = random_elements(random, of.type_a, of.n(), false, false);
    group_call asked = call_of(seed, of.type_a);
    asked.what = seed % 2 == 0 ? reduction::min : reduction::max, asked.key_type = element_type::int32;
    expect_skewed(of, asked, orders[seed]);
    if (HasFailure()) return;
  }
}

}  // namespace
