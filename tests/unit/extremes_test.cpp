// minmax and iamax beside min, max, argmin and argmax, of every element type, stride and number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cpu/reduce.hpp>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <plan/gpu_engine.hpp>
#include <random>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

template <class T>
bool same_bits(T x, T y) {
  return core::to_word(x) == core::to_word(y);
}

template <class T>
class every_type : public testing::Test {};
using all_types =
    testing::Types<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float8_e4m3fn, float8_e5m2>;
TYPED_TEST_SUITE(every_type, all_types);

template <class T>
std::vector<T> random_elements(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_int_distribution<int> values(std::is_unsigned_v<T> ? 0 : -120, 120);
  std::vector<T> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(static_cast<T>(static_cast<float>(values(random))));
  return all;
}

TYPED_TEST(every_type, has_both_extremes) {
  for (const std::size_t n : {1, 2, 17, 2047, 2049, 20'000, 150'001}) {
    const std::vector<TypeParam> x = random_elements<TypeParam>(n);
    for (const int threads : {1, 2}) {
      const options options{.threads = threads};
      const auto [least, greatest] = minmax(x, options);
      EXPECT_TRUE(same_bits(least, min(x)) && same_bits(greatest, max(x))) << n;
      EXPECT_EQ(minmax(x.data(), n, options).max, greatest);
      const strided<TypeParam> backwards{x.data() + n - 1, n, -1};
      EXPECT_TRUE(same_bits(minmax(backwards, options).min, least));
      const auto magnitude = [&](std::size_t i) { return std::abs(static_cast<double>(static_cast<float>(x[i]))); };
      std::size_t expected = 0;
      for (std::size_t i = 1; i < n; ++i) expected = magnitude(i) > magnitude(expected) ? i : expected;
      EXPECT_EQ(iamax(x, options), expected) << n;
      EXPECT_EQ(iamax(x.data(), n, options), expected);
    }
  }
  const std::vector<TypeParam> none;
  expect_error(errc::empty_input, "minmax: the vector is empty", [&] { (void)minmax(none); });
  expect_error(errc::empty_input, "iamax: the vector is empty", [&] { (void)iamax(none); });
}

TEST(magnitudes, of_the_least_integers_are_largest) {
  using limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(iamax(std::vector<std::int64_t>{limits::max(), limits::min()}), 1u);
  EXPECT_EQ(iamax(std::vector<std::int8_t>{127, -127, -128, 1}), 2u);
  EXPECT_EQ(iamax(std::vector<std::int8_t>{127, -127}), 0u);
  EXPECT_EQ(iamax(std::vector<std::uint8_t>{127, 128, 255, 255}), 2u);
}

TEST(special_values, follow_min_and_max) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(iamax(std::vector<double>{1, -inf, inf}), 1u);
  EXPECT_EQ(iamax(std::vector<double>{-0.0, 0.0}), 0u);
  EXPECT_EQ(iamax(std::vector<double>{inf, NAN, NAN}), 1u);
  const auto zeros = minmax(std::vector<double>{0.0, -0.0});
  EXPECT_TRUE(same_bits(zeros.min, -0.0) && same_bits(zeros.max, 0.0));
  const auto none = minmax(std::vector<float>{1, NAN});
  EXPECT_TRUE(std::isnan(none.min) && std::isnan(none.max));
}

TEST(refusals, name_the_function) {
  const double x = 1;
  expect_error(errc::null_pointer, "minmax: ", [] { (void)minmax(static_cast<const double*>(nullptr), 3); });
  expect_error(errc::bad_option, "iamax: threads is -1", [&] { (void)iamax(&x, 1, {.threads = -1}); });
}

/// What an engine that takes the memory of the host for a GPU's has reduced.
std::vector<reduction> reduced;
constexpr engine::gpu_engine recording{.choose = [](engine::plan& plan, const options&) { plan.on_gpu = true; },
                                       .reduce =
                                           [](const engine::plan& plan) {
                                             reduced.push_back(plan.what);
                                             return cpu_engine::reduce(plan);
                                           },
                                       .add = nullptr,
                                       .choose_batch = nullptr,
                                       .reduce_batch = nullptr,
                                       .normalise = nullptr,
                                       .copy_numbers = nullptr,
                                       .copy_indices = nullptr};

struct registered_recording {
  const engine::gpu_engine* before = engine::registered_gpu_engine.exchange(&recording);
  bool might = engine::gpu_may_exist.exchange(true);
  registered_recording() = default;
  registered_recording(const registered_recording&) = delete;
  registered_recording& operator=(const registered_recording&) = delete;
  ~registered_recording() {
    engine::registered_gpu_engine = before;
    engine::gpu_may_exist = might;
  }
};

TEST(extremes_in_gpu_memory, take_one_reduction_for_each_result) {
  const registered_recording engine;
  const std::vector<double> x{1, -3, 2};
  reduced.clear();
  EXPECT_EQ(minmax(x), (extremes<double>{-3, 2}));
  EXPECT_EQ(reduced, (std::vector{reduction::min, reduction::max}));
  reduced.clear();
  EXPECT_EQ(iamax(x), 1u);
  EXPECT_EQ(reduced, (std::vector{reduction::min, reduction::max, reduction::argmin, reduction::argmax}));
}

}  // namespace
