// Extrema of groups of every element type, and the numbers of their elements: in tables and in global memory.
#include "group_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class group_extrema : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Random bits of any type, some of them special values and ends of the range.
keyed_elements random_elements(oracle::rng& random, element_type type, std::size_t n, std::size_t count) {
  keyed_elements made;
  made.type_a = made.type_b = type, made.groups = count;
  made.stride = static_cast<std::ptrdiff_t>(1 + random.below(2));
  made.swapped = random.below(3) == 0;
  const std::size_t size = size_of(type);
  made.a.resize(n * static_cast<std::size_t>(made.stride) * size);
  for (std::size_t i = 0; i < made.a.size(); i += size) {
    std::uint64_t word = random.bits();
    if (random.below(8) == 0) word = 0 - random.below(2);
    if (random.below(8) == 0) word = std::uint64_t{1} << (8 * size - 1);
    if (!is_integer(type) && random.below(9) == 0) word = core::infinity_word(core::format_of(type), random.coin());
    std::memcpy(&made.a[i], &word, size);
    if (made.swapped) std::reverse(&made.a[i], &made.a[i] + size);
  }
  made.b = made.a;
  for (std::size_t i = 0; i < n; ++i) {
    made.keys.push_back(static_cast<std::int64_t>(i < count ? i : random.below(count)));
  }
  return made;
}

group_test random_test(unsigned seed, element_type type) {
  group_test test;
  test.what = seed % 2 == 0 ? reduction::min : reduction::max;
  test.result = type;
  test.in_shared = seed / 2 % 2 == 0;
  test.key_type = seed % 3 == 0 ? element_type::int32 : element_type::int64;
  test.skew = seed % 4;
  return test;
}

constexpr element_type types[] = {element_type::float16, element_type::bfloat16, element_type::float32,
                                  element_type::float64, element_type::int8,     element_type::int16,
                                  element_type::int32,   element_type::int64,    element_type::uint8,
                                  element_type::uint16,  element_type::uint32,   element_type::uint64,
                                  element_type::float8_e4m3fn, element_type::float8_e5m2};

TEST_F(group_extrema, have_the_bits_of_the_oracle) {
  for (const element_type type : types) {
    for (unsigned seed = 0; seed < 16; ++seed) {
      oracle::rng random(seed);
      const std::size_t count = 1 + random.below(20);
      expect_groups(random_elements(random, type, count + random.below(100), count), random_test(seed, type), seed,
                    "random");
      if (HasFailure()) return;
    }
  }
}

TEST_F(group_extrema, of_empty_groups_store_nothing_and_name_the_first) {
  for (const element_type type : {element_type::float32, element_type::int64, element_type::uint8}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      oracle::rng random(seed);
      keyed_elements of = random_elements(random, type, 50, 9);
      for (std::int64_t& key : of.keys) key = key == 4 || key == 6 ? 8 : key;
      group_test test = random_test(seed, type);
      group_launcher on;
      const group_outcome found = on.run(of, test);
      EXPECT_EQ(~found.status.empty_group, 4U);
      for (const std::uint64_t word : found.words) {
        EXPECT_EQ(word, unwritten_word & ~std::uint64_t{0} >> (64 - 8 * size_of(type)));
      }
      test.waits = false;
      const group_outcome others = on.run(of, test);
      for (std::size_t i = 0; i < 9; ++i) {
        const bool is_empty = i == 4 || i == 6;
        const std::uint64_t nothing = is_integer(type) ? 0 : core::nan_word(core::format_of(type));
        EXPECT_EQ(others.words[i], is_empty ? nothing : expected_of_group(of, test, i)) << i;
      }
    }
  }
}

TEST_F(group_extrema, count_elements) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(70), n = random.below(400);
    keyed_elements of;
    of.groups = count, of.type_a = of.type_b = element_type::uint8, of.a.resize(n), of.b.resize(n);
    std::vector<std::uint64_t> expected(count);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_outside = seed % 5 == 0 && random.below(9) == 0;
      of.keys.push_back(is_outside ? -1 : static_cast<std::int64_t>(random.below(count)));
      if (!is_outside) ++expected[static_cast<std::size_t>(of.keys.back())];
    }
    of.skips = true;
    group_test test = random_test(seed, element_type::int64);
    test.what = reduction::sum, test.counts = true;
    group_launcher on(seed);
    EXPECT_EQ(on.run(of, test).words, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
