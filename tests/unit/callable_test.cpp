// reduce with a callable: order v1 for any operation, on any number of threads; what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "oracle/cases.hpp"

namespace {

using namespace exactdot;
using oracle::difference;

constexpr std::size_t lengths[] = {0, 1, 2, 63, 128, 129, 2047, 2048, 2049, 16'384, 70'001, 300'007};

template <class T>
std::vector<T> random_vector(std::size_t n) {
  return oracle::make_vectors(oracle::generator_named<T>("uniform"), 5, n).a;
}

template <class T>
class callable : public testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(callable, carriers);

TYPED_TEST(callable, plus_has_the_bits_of_the_sum_in_mode_fast) {
  for (const std::size_t n : lengths) {
    const auto x = random_vector<TypeParam>(n);
    const TypeParam expected = sum(x, {.mode = mode::fast});
    for (const int threads : {1, 2, 5}) {
      const TypeParam result = reduce(x, std::plus<>(), TypeParam{0}, {.threads = threads});
      EXPECT_EQ(difference(expected, result), "") << n << " elements, " << threads << " threads";
    }
  }
}

TEST(reduce_with, converts_elements_to_the_type_of_the_identity) {
  std::vector<float16> x;
  for (const float value : random_vector<float>(5000)) x.emplace_back(value);
  EXPECT_EQ(reduce(x, std::plus<>(), 0.0F), (sum<float>(x, {.mode = mode::fast})));
}

TEST(reduce_with, accepts_integers_strides_and_operations_that_are_no_sums) {
  std::vector<std::uint64_t> x(100'000);
  std::iota(x.begin(), x.end(), 12345);
  for (std::uint64_t& each : x) each *= 0x9e3779b97f4a7c15;
  const auto bit_xor = std::bit_xor<std::uint64_t>();
  const std::uint64_t all = std::accumulate(x.begin(), x.end(), std::uint64_t{0}, bit_xor);
  EXPECT_EQ(reduce(x, bit_xor, std::uint64_t{0}), all);
  EXPECT_EQ(reduce(strided{x.data() + x.size() - 1, x.size(), -1}, bit_xor, std::uint64_t{0}), all);
  EXPECT_EQ(reduce(strided{x.data() + 7, 9, 0}, bit_xor, std::uint64_t{0}), x[7]);
}

struct bounds {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  bounds() = default;
  explicit bounds(double x) : least(x), greatest(x) {}
  bounds(double low, double high) : least(low), greatest(high) {}
};

TEST(reduce_with, accepts_values_that_are_structs) {
  const auto x = random_vector<double>(70'001);
  const auto both = [](const bounds& a, const bounds& b) {
    return bounds(std::min(a.least, b.least), std::max(a.greatest, b.greatest));
  };
  const bounds found = reduce(x, both, bounds{});
  EXPECT_EQ(found.least, min(x));
  EXPECT_EQ(found.greatest, max(x));
}

TEST(reduce_with, accepts_truth_values_on_any_number_of_threads) {
  std::vector<std::uint8_t> x(1 << 20);
  for (const std::size_t place : {std::size_t{0}, std::size_t{300'000}, x.size() - 1}) {
    x[place] = 1;
    for (const int threads : {1, 2, 7}) EXPECT_TRUE(reduce(x, std::logical_or<>(), false, {.threads = threads}));
    x[place] = 0;
  }
  EXPECT_FALSE(reduce(x, std::logical_or<>(), false, {.threads = 7}));
}

TEST(reduce_with, gives_the_identity_for_no_elements) {
  EXPECT_EQ(reduce(std::vector<int>{}, std::multiplies<>(), 1), 1);
  EXPECT_EQ(reduce(strided<float>{nullptr, 0, 1}, std::plus<>(), -3.0F), -3.0F);
}

errc code_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const error& failure) {
    return failure.code();
  }
  return errc::file;  // which these functions do not throw
}

TEST(reduce_with, refuses_bad_arguments) {
  const std::vector<double> x(10'000, 1.0);
  const auto sum_with = [&](const options& options) {
    return [&x, options] { static_cast<void>(reduce(x, std::plus<>(), 0.0, options)); };
  };
  monitor cancelled;
  cancelled.cancel = true;
  EXPECT_EQ(code_of(sum_with({.device = device::cuda})), errc::bad_option);
  EXPECT_EQ(code_of(sum_with({.threads = -1})), errc::bad_option);
  EXPECT_EQ(code_of(sum_with({.monitor = &cancelled})), errc::cancelled);
  EXPECT_EQ(code_of([] {
              static_cast<void>(reduce(strided<float>{nullptr, 3, 1}, std::plus<>(), 0.0F));
            }),
            errc::null_pointer);
}

TEST(reduce_with, reports_progress) {
  const std::vector<float> x(300'007, 1.0F);
  monitor watch;
  EXPECT_EQ(reduce(x, std::plus<>(), 0.0F, {.monitor = &watch}), 300'007.0F);
  EXPECT_EQ(watch.done, x.size());
}

TEST(reduce_with, passes_on_an_exception_of_the_callable) {
  std::vector<int> x(300'007, 1);
  x[200'000] = -1;
  const auto positive_sum = [](int a, int b) {
    if (a < 0 || b < 0) throw std::domain_error("negative");
    return a + b;
  };
  EXPECT_THROW(static_cast<void>(reduce(x, positive_sum, 0, {.threads = 3})), std::domain_error);
  x[200'000] = 1;
  EXPECT_EQ(reduce(x, positive_sum, 0, {.threads = 3}), 300'007);
}

}  // namespace
