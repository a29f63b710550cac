// Errors in ulps, compared with values computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/accumulator.hpp>
#include <initializer_list>
#include <lab/ulp_error.hpp>
#include <limits>
#include <utility>

namespace {

using exactdot::accumulator;
using exactdot::element_type;
using exactdot::lab::ulp_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
accumulator<T> sum_of(std::initializer_list<std::pair<T, T>> products) {
  accumulator<T> sum;
  for (const auto& [a, b] : products) sum.add(a, b);
  return sum;
}

TEST(ulp_error, is_zero_for_the_value_itself) {
  EXPECT_EQ(ulp_error(sum_of<double>({{3, 0.5}}), 1.5, element_type::float64), 0);
  EXPECT_EQ(ulp_error(sum_of<float>({{-3, 0.5F}}), -1.5, element_type::float32), 0);
  EXPECT_EQ(ulp_error(sum_of<float>({}), 0, element_type::float32), 0);
}

TEST(ulp_error, counts_units_of_the_rounded_result) {
  const auto one = sum_of<double>({{1, 1}});
  EXPECT_EQ(ulp_error(one, 1 + 0x1p-52, element_type::float64), 1);
  EXPECT_EQ(ulp_error(one, 1 - 0x1p-53, element_type::float64), 0.5L);
  EXPECT_EQ(ulp_error(one, -1, element_type::float64), 0x1p53L);
  EXPECT_EQ(ulp_error(one, 1 + 0x1p-23, element_type::float32), 1);
  const auto minus_one = sum_of<float>({{1, -1}});
  EXPECT_EQ(ulp_error(minus_one, -1 - 0x1p-23, element_type::float32), 1);
  EXPECT_EQ(ulp_error(minus_one, -1 + 0x1p-52, element_type::float64), 1);
}

TEST(ulp_error, is_exact_if_the_sum_is_not_a_double) {
  // 1 + 2^-60: off by 2^-60 from 1, which is 2^-8 units of 2^-52.
  const auto sum = sum_of<double>({{1, 1}, {0x1p-30, 0x1p-30}});
  EXPECT_EQ(ulp_error(sum, 1, element_type::float64), 0x1p-8L);
  const auto negative = sum_of<float>({{-1, 1}, {-0x1p-30F, 0x1p-30F}});
  EXPECT_EQ(ulp_error(negative, -1, element_type::float64), 0x1p-8L);
}

TEST(ulp_error, includes_tiny_and_huge_errors) {
  const auto tiny = sum_of<double>({{0x1p-1074, 0.25}});  // rounds to zero, a quarter of the last place off
  EXPECT_EQ(ulp_error(tiny, 0, element_type::float64), 0.25L);
  EXPECT_EQ(ulp_error(tiny, 0x1p1000, element_type::float64), std::ldexp(1.0L, 2074));
  const auto tiny_float = sum_of<float>({{0x1p-149F, 0.5F}});
  EXPECT_EQ(ulp_error(tiny_float, 0, element_type::float32), 0.5L);
  EXPECT_EQ(ulp_error(tiny_float, 1, element_type::float64), std::ldexp(1.0L, 202));
}

TEST(ulp_error, distinguishes_correct_infinities_and_nans_from_wrong_ones) {
  const auto infinite = sum_of<double>({{infinity, 1}});
  const auto overflow = sum_of<double>({{0x1p1000, 0x1p1000}});
  const auto nan = sum_of<double>({{infinity, 1}, {infinity, -1}});
  for (const auto& sum : {infinite, overflow}) {
    EXPECT_EQ(ulp_error(sum, infinity, element_type::float64), 0);
    EXPECT_TRUE(std::isinf(ulp_error(sum, -infinity, element_type::float64)));
    EXPECT_TRUE(std::isinf(ulp_error(sum, 1, element_type::float64)));
    EXPECT_TRUE(std::isnan(ulp_error(sum, std::nan(""), element_type::float64)));
  }
  EXPECT_EQ(ulp_error(nan, std::nan(""), element_type::float64), 0);
  EXPECT_TRUE(std::isnan(ulp_error(nan, 1, element_type::float64)));
  EXPECT_TRUE(std::isinf(ulp_error(sum_of<float>({{1, 1}}), infinity, element_type::float32)));
}

}  // namespace
