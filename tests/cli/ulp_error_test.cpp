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
using exactdot::reduction;
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

TEST(ulp_error, of_roots_and_means_is_exact_enough) {
  const auto two = sum_of<double>({{1, 1}, {1, 1}});
  // sqrt(2) = 1.41421356237309504880168872; the nearest double is 1.41421356237309514547462186
  const double root = 1.4142135623730951;
  EXPECT_NEAR(static_cast<double>(ulp_error(reduction::nrm2, two, 2, root, element_type::float64)),
              9.667293313e-17 / 0x1p-52, 1e-9);
  EXPECT_EQ(ulp_error(reduction::nrm2, sum_of<float>({{3, 3}, {4, 4}}), 2, 5, element_type::float32), 0);
  EXPECT_EQ(ulp_error(reduction::nrm2, sum_of<double>({{3, 3}, {4, 4}}), 2, 5 + 0x1p-50, element_type::float64), 1);
  EXPECT_EQ(ulp_error(reduction::nrm2, sum_of<double>({}), 0, 0, element_type::float64), 0);
  EXPECT_EQ(ulp_error(reduction::nrm2, sum_of<double>({{0x1p600, 0x1p600}}), 1, 0x1p600, element_type::float64), 0);
  const auto one = sum_of<double>({{1, 1}});
  EXPECT_NEAR(static_cast<double>(ulp_error(reduction::mean, one, 3, 1.0 / 3, element_type::float64)), 1.0 / 3,
              1e-15);
  EXPECT_EQ(ulp_error(reduction::mean, one, 4, 0.25 + 0x1p-54, element_type::float64), 1);
  EXPECT_EQ(ulp_error(reduction::mean, sum_of<double>({}), 0, std::nan(""), element_type::float64), 0);
}

TEST(ulp_error, counts_units_of_16_bit_types) {
  const auto one = sum_of<float>({{1, 1}});
  EXPECT_EQ(ulp_error(reduction::sum, one, 1, 1 + 0x1p-10, element_type::float16), 1);
  EXPECT_EQ(ulp_error(reduction::sum, one, 1, 1 + 0x1p-7, element_type::bfloat16), 1);
  const auto zero = sum_of<float>({});
  EXPECT_EQ(ulp_error(reduction::sum, zero, 0, 0x1p-24, element_type::float16), 1);
  EXPECT_EQ(ulp_error(reduction::sum, zero, 0, 0x1p-133, element_type::bfloat16), 1);
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
