// Data sets: their properties, and golden bits that are the same on every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exactdot/dot.hpp>
#include <exactdot/error.hpp>
#include <io/data_source.hpp>
#include <io/ill_conditioned.hpp>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "oracle/exact.hpp"

namespace {

using exactdot::io::data_request;
using exactdot::io::data_set;
using exactdot::io::data_source;

template <class T>
using pair_of_vectors = std::pair<std::vector<T>, std::vector<T>>;

template <class T>
pair_of_vectors<T> generate(const data_request& request, std::size_t chunk_length = 1000) {
  pair_of_vectors<T> made{std::vector<T>(request.n), std::vector<T>(request.n)};
  data_source<T> source{request};
  for (std::size_t first = 0; first < request.n; first += chunk_length) {
    const std::size_t length = std::min(chunk_length, request.n - first);
    source.next(std::span(made.first).subspan(first, length), std::span(made.second).subspan(first, length));
  }
  return made;
}

template <class T>
class data_sources : public testing::Test {};
using types = testing::Types<float, double>;
TYPED_TEST_SUITE(data_sources, types);

constexpr data_set all_sets[] = {data_set::uniform, data_set::ones, data_set::halves,
                                 data_set::ramp,    data_set::ill,  data_set::wide};

TYPED_TEST(data_sources, do_not_depend_on_the_chunk_length) {
  for (const data_set data : all_sets) {
    const data_request request{data, 4099};
    const auto whole = generate<TypeParam>(request, 4099);
    EXPECT_EQ(whole, generate<TypeParam>(request, 7));
    EXPECT_EQ(whole, generate<TypeParam>(request, 1024));
  }
}

TYPED_TEST(data_sources, follow_the_seed) {
  for (const data_set data : {data_set::uniform, data_set::ill, data_set::wide}) {
    EXPECT_NE(generate<TypeParam>({data, 100, 42}), generate<TypeParam>({data, 100, 43}));
  }
}

TYPED_TEST(data_sources, of_ones_and_halves_have_the_dot_n) {
  for (const data_set data : {data_set::ones, data_set::halves}) {
    const auto [a, b] = generate<TypeParam>({data, 12345});
    EXPECT_EQ(exactdot::dot(a, b), TypeParam{12345});
  }
  EXPECT_EQ(generate<TypeParam>({data_set::halves, 1}).first[0], TypeParam{0.5});
}

TYPED_TEST(data_sources, accept_lengths_from_zero_on) {
  for (const data_set data : all_sets) {
    for (std::size_t n = 0; n < 8; ++n) {
      const auto made = generate<TypeParam>({data, n});
      EXPECT_TRUE(
          std::all_of(made.second.begin(), made.second.end(), [](TypeParam x) { return std::isfinite(x); }));
    }
  }
}

TYPED_TEST(data_sources, of_uniform_are_inside_the_interval_and_centred) {
  const std::size_t n = 100000;
  const auto [a, b] = generate<TypeParam>({data_set::uniform, n});
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_LT(std::abs(a[i]), TypeParam{1});
    ASSERT_NE(b[i], TypeParam{0});
    sum += static_cast<double>(a[i]) + static_cast<double>(b[i]);
    squares += static_cast<double>(a[i]) * static_cast<double>(a[i]);
  }
  EXPECT_LT(std::abs(sum), 5 * std::sqrt(2 * n / 3.0));  // five standard deviations
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.01);
}

TEST(data_source, draws_by_the_stated_formula_alternately) {
  std::mt19937 generator{42};
  ASSERT_EQ(generator(), 1608637542U);  // required by the C++ standard
  generator.seed(42);
  const auto [a, b] = generate<float>({data_set::uniform, 3});
  for (std::size_t i = 0; i < 3; ++i) {
    for (const float value : {a[i], b[i]}) {
      EXPECT_EQ(static_cast<double>(value) * 0x1p24, 2.0 * static_cast<double>(generator() >> 8) + 1 - 0x1p24);
    }
  }
  generator.seed(42);
  const auto [c, d] = generate<double>({data_set::uniform, 3});
  for (std::size_t i = 0; i < 3; ++i) {
    for (const double value : {c[i], d[i]}) {
      const std::uint64_t high = generator();
      const auto u = static_cast<std::int64_t>(high * (1U << 21) + (generator() >> 11));
      EXPECT_EQ(static_cast<std::int64_t>(value * 0x1p53), 2 * u + 1 - (std::int64_t{1} << 53));
    }
  }
}

TEST(data_source, ramps_round_each_element_as_integers_do) {
  const std::size_t n = (std::size_t{1} << 24) + 1000;  // beyond 2^24 not every integer is a float
  const auto [a, b] = generate<float>({data_set::ramp, n}, 1 << 16);
  __int128 truth = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<std::int64_t>(a[i]);
    ASSERT_LE(std::abs(x - static_cast<std::int64_t>(i)), i < (1U << 24) ? 0 : 1);
    ASSERT_EQ(b[i], 2 * a[i]);
    truth += static_cast<__int128>(x) * static_cast<std::int64_t>(b[i]);
  }
  EXPECT_EQ(exactdot::dot<double>(a, b), static_cast<double>(truth));
}

TYPED_TEST(data_sources, of_ill_have_the_requested_condition_number) {
  for (const double condition : {1e4, 1e16, 1e40, 1e60, 1e200, 1e300}) {
    if (!(condition <= exactdot::io::max_condition<TypeParam>)) continue;
    for (const std::size_t n : {100, 2000}) {
      const auto [a, b] = generate<TypeParam>({data_set::ill, n, 42, condition});
      std::vector<TypeParam> magnitudes_a = a;
      std::vector<TypeParam> magnitudes_b = b;
      for (TypeParam& x : magnitudes_a) x = std::abs(x);
      for (TypeParam& x : magnitudes_b) x = std::abs(x);
      const double dot = oracle::exact_dot(std::span<const TypeParam>(a), std::span<const TypeParam>(b)).as_double;
      const double sum =
          oracle::exact_dot(std::span<const TypeParam>(magnitudes_a), std::span<const TypeParam>(magnitudes_b))
              .as_double;
      const double reached = std::log10(sum) - std::log10(std::abs(dot) / 2);
      EXPECT_NEAR(reached, std::log10(condition), 4) << "n = " << n;
    }
  }
}

TYPED_TEST(data_sources, of_ill_refuse_conditions_out_of_range) {
  for (const double condition :
       {0.5, -1.0, 10 * exactdot::io::max_condition<TypeParam>, std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    try {
      generate<TypeParam>({data_set::ill, 10, 42, condition});
      ADD_FAILURE() << condition;
    } catch (const exactdot::error& error) {
      EXPECT_EQ(error.code(), exactdot::errc::bad_option);
    }
  }
}

TYPED_TEST(data_sources, of_wide_reach_the_ends_of_the_range) {
  using limits = std::numeric_limits<TypeParam>;
  const auto [a, b] = generate<TypeParam>({data_set::wide, 100000});
  for (const auto& values : {a, b}) {
    int lowest = limits::max_exponent;
    int highest = limits::min_exponent - limits::digits;
    std::size_t negative = 0;
    for (const TypeParam x : values) {
      ASSERT_TRUE(std::isfinite(x) && x != 0);
      lowest = std::min(lowest, std::ilogb(x));
      highest = std::max(highest, std::ilogb(x));
      negative += std::signbit(x) ? 1 : 0;
    }
    EXPECT_EQ(lowest, limits::min_exponent - limits::digits);
    EXPECT_EQ(highest, limits::max_exponent - 1);
    EXPECT_NEAR(static_cast<double>(negative), 50000, 800);  // five standard deviations
  }
}

TYPED_TEST(data_sources, add_the_drawn_pairs_to_the_monitor) {
  for (const data_set data : all_sets) {
    exactdot::monitor monitor;
    monitor.done = 7;  // counted by an earlier user
    data_source<TypeParam> source{{.data = data, .n = 10, .monitor = &monitor}};
    std::vector<TypeParam> a(6), b(6);
    source.next(std::span(a), std::span(b));
    EXPECT_EQ(monitor.done.load(), 13U);
    source.next(std::span(a).first(4), std::span(b).first(4));
    EXPECT_EQ(monitor.done.load(), 17U);
  }
}

TYPED_TEST(data_sources, end_when_cancelled) {
  exactdot::monitor monitor;
  monitor.cancel = true;
  for (const data_set data : all_sets) {
    try {
      data_request request{data, 10};
      request.monitor = &monitor;
      generate<TypeParam>(request);
      ADD_FAILURE();
    } catch (const exactdot::error& error) {
      EXPECT_EQ(error.code(), exactdot::errc::cancelled);
    }
  }
}

/// FNV-1a hash of the bits. Published measurements use these numbers.
template <class T>
std::uint64_t fingerprint(const pair_of_vectors<T>& made) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& values : {made.first, made.second}) {
    for (const T x : values) hash = (hash ^ oracle::to_bits(x)) * 0x100000001b3;
  }
  return hash;
}

TEST(data_source, gives_the_golden_bits) {
  EXPECT_EQ(fingerprint(generate<float>({data_set::uniform, 1000})), 0xdc797109b2673753U);
  EXPECT_EQ(fingerprint(generate<double>({data_set::uniform, 1000})), 0xe6d2391930e57263U);
  EXPECT_EQ(fingerprint(generate<float>({data_set::ill, 1000})), 0x4cc566ae8efde3f3U);
  EXPECT_EQ(fingerprint(generate<double>({data_set::ill, 1000})), 0xf1107c5ab0f560e9U);
  EXPECT_EQ(fingerprint(generate<float>({data_set::wide, 1000})), 0xcf976c470be66b6fU);
  EXPECT_EQ(fingerprint(generate<double>({data_set::wide, 1000})), 0x833356a724041db6U);
}

}  // namespace
