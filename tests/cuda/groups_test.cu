// Kernels of groups by keys: data of all of the oracle's generators in groups of every size, in tables and in
// records, with keys of every order and type; every element type. Special values, bad keys and sabotage:
// group_bounds_test.cu.
#include "group_launch.cuh"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class groups : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

constexpr reduction sums[] = {reduction::sum, reduction::mean,     reduction::asum,           reduction::nrm2,
                              reduction::dot, reduction::variance, reduction::sum_of_squares, reduction::stddev};

/// Each group by the next of the generators, in random order.
template <class T>
keyed_elements of_generators(oracle::rng& random, unsigned first, std::size_t count, std::size_t max_length) {
  const auto all = oracle::generators<T>();
  std::vector<T> a, b;
  std::vector<std::int64_t> keys;
  for (std::size_t group = 0; group < count; ++group) {
    const auto data = all[(first + group) % all.size()].make(random, random.below(max_length + 1));
    a.insert(a.end(), data.a.begin(), data.a.end()), b.insert(b.end(), data.b.begin(), data.b.end());
    keys.insert(keys.end(), data.a.size(), static_cast<std::int64_t>(group));
  }
  for (std::size_t i = keys.size(); i > 1; --i) {
    const std::size_t j = random.below(i);
    std::swap(a[i - 1], a[j]), std::swap(b[i - 1], b[j]), std::swap(keys[i - 1], keys[j]);
  }
  return keyed(a, b, keys, count);
}

template <class T>
group_test test_of(unsigned seed) {
  constexpr element_type results[] = {type_of<T>, element_type::float32, element_type::float64, type_of<T>,
                                      element_type::bfloat16};
  group_test test;
  test.what = sums[seed % 8], test.result = results[seed / 3 % 5];
  test.in_shared = seed / 2 % 2 == 0;
  test.threads = 32 << seed / 5 % 3, test.blocks = 1 + seed % 4;
  constexpr element_type keys[] = {element_type::int32,  element_type::int64, element_type::int8,
                                   element_type::uint16, element_type::uint8, element_type::int16};
  test.skew = seed / 7 % 4, test.key_type = keys[seed / 4 % 6];  // of up to 60 groups
  test.ddof = seed % 3, test.room = seed % 9 == 0 ? 3 : 100;
  test.second_look_shared = seed % 4 == 0 ? 0 : 48 << 10;
  return test;
}

template <class T>
void expect_generators(unsigned cases) {
  for (unsigned seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
    oracle::rng random(seed);
    const std::size_t counts[] = {1, 2, 5, 17, 60};
    const auto of = of_generators<T>(random, seed, counts[seed % 5], seed % 3 == 0 ? 200 : 20);
    expect_groups(of, test_of<T>(seed), seed, "generators");
  }
}

TEST_F(groups, of_floats_have_the_bits_of_the_oracle) {
  expect_generators<float>(static_cast<unsigned>(oracle::scaled(240)));
}
TEST_F(groups, of_doubles_have_the_bits_of_the_oracle) {
  expect_generators<double>(static_cast<unsigned>(oracle::scaled(240)));
}

template <class T>
std::vector<T> uniform(oracle::rng& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& each : x) each = static_cast<T>(2 * random.unit() - 1);
  return x;
}

/// Usual data needs no second look: all sums of floats and doubles, whatever the keys.
template <class T>
void expect_no_open_group(std::size_t n, std::size_t count) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    oracle::rng random(seed);
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      switch (seed / 8) {
        case 0:
          keys[i] = static_cast<std::int64_t>(random.below(count));
          break;
        case 1:
          keys[i] = static_cast<std::int64_t>(i * count / n);
          break;
        case 2:
          keys[i] = static_cast<std::int64_t>(count / 2);
          break;
        case 3:  // packs of one group, in a warp of several
          keys[i] = static_cast<std::int64_t>(i / 8 % count);
          break;
        default:
          keys[i] = static_cast<std::int64_t>(random.coin() ? 0 : random.below(count));
      }
    }
    const auto of = keyed(uniform<T>(random, n), uniform<T>(random, n), keys, count);
    group_test test = test_of<T>(seed);
    test.result = type_of<T>, test.what = sums[seed % 8];
    const unsigned open = expect_groups(of, test, seed, "uniform");
    EXPECT_EQ(open, 0U) << name_of(test.what) << ", seed " << seed;
    if (testing::Test::HasFailure()) return;
  }
}
TEST_F(groups, of_usual_data_need_one_look) {
  expect_no_open_group<float>(3000, 13);
  expect_no_open_group<double>(3000, 13);
}

/// Elements of any type, contiguous or not: random bits, of floating-point types without infinities half the time.
keyed_elements random_elements(oracle::rng& random, element_type a, element_type b, std::size_t n,
                               std::size_t count) {
  keyed_elements made;
  made.type_a = a, made.type_b = b, made.groups = count;
  made.stride = static_cast<std::ptrdiff_t>(1 + random.below(3));
  made.swapped = random.below(3) == 0;
  const bool is_small = random.coin();
  const auto fill = [&](std::vector<unsigned char>& bytes, element_type type) {
    const std::size_t size = size_of(type);
    bytes.resize(n * static_cast<std::size_t>(made.stride) * size);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      std::uint64_t word = random.bits();
      if (is_small && is_integer(type)) word = static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 50);
      if (is_small && !is_integer(type)) word = core::round_finite(core::format_of(type), 2 * random.unit() - 1);
      std::memcpy(&bytes[i], &word, size);
      if (made.swapped) std::reverse(&bytes[i], &bytes[i] + size);
    }
  };
  fill(made.a, a), fill(made.b, b);
  for (std::size_t i = 0; i < n; ++i) made.keys.push_back(static_cast<std::int64_t>(random.below(count)));
  return made;
}

TEST_F(groups, of_every_element_type_have_the_bits_of_the_oracle) {
  const int cases = oracle::scaled(4);
  for (const auto& [a, b] : {std::pair{element_type::float16, element_type::float16},
                             {element_type::bfloat16, element_type::bfloat16},
                             {element_type::float8_e4m3fn, element_type::float8_e5m2},
                             {element_type::float32, element_type::float64},
                             {element_type::float16, element_type::float64},
                             {element_type::int8, element_type::int16},
                             {element_type::int32, element_type::uint32},
                             {element_type::int64, element_type::int64},
                             {element_type::uint64, element_type::uint8}}) {
    for (int repeat = 0; repeat < 8 * cases; ++repeat) {
      const auto seed = static_cast<unsigned>(repeat);
      oracle::rng random(seed);
      const auto of = random_elements(random, a, b, 1 + random.below(300), 1 + random.below(9));
      group_test test = test_of<float>(seed);
      const bool is_plain = test.what == reduction::sum || test.what == reduction::dot ||
                            test.what == reduction::asum || test.what == reduction::sum_of_squares;
      if (is_integer(a) && is_plain && seed % 2 == 0) {
        test.result = seed % 4 == 0 ? element_type::int64 : element_type::uint64;
      }
      expect_groups(of, test, seed, "any type");
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
