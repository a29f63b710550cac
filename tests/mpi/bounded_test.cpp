// The operation of the short message, without MPI: the bound encloses the error of any tree of additions, and it
// must, since sums whose bounds are dropped are wrong.
#include <exactdot/mpi/blocks.h>
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "oracle/random.hpp"

namespace {

mpf_class exact(double x) { return mpf_class(x, 4500); }

struct item {
  xd_bounded sum;
  mpf_class value;  // what the sum stands for
};

xd_bounded add(const xd_bounded& a, const xd_bounded& b) {
  xd_mpi_block from{}, to{};
  xd_mpi_put(&from, 3, a);
  xd_mpi_put(&to, 3, b);
  xd_mpi_add_block(&from, &to);
  return xd_mpi_get(&to, 3);
}

/// A sum with an error part and a bound, and a number within its bound. Magnitudes of 2^-scale to 2^scale.
item random_item(oracle::rng& random, int scale) {
  const auto significand = [&] { return static_cast<double>(random.below(1ULL << 53)) - 0x1p52; };
  const int exponent = static_cast<int>(random.below(2 * static_cast<std::uint64_t>(scale) + 1)) - scale - 52;
  item made{{std::ldexp(significand(), exponent), std::ldexp(significand(), exponent - 54),
             random.below(2) == 0 ? 0 : std::ldexp(1, exponent - 60)},
            mpf_class(0, 4500)};
  const int side = static_cast<int>(random.below(3)) - 1;
  made.value = exact(made.sum.value) + exact(made.sum.error) + side * exact(made.sum.bound);
  return made;
}

/// Whether |value + error - sum| <= bound.
bool encloses(const xd_bounded& sum, const mpf_class& value, double bound) {
  const mpf_class error = exact(sum.value) + exact(sum.error) - value;
  return abs(error) <= exact(bound);
}

TEST(bounded, every_tree_is_enclosed_and_needs_its_bound) {
  oracle::rng random(5);
  int without_new_bounds = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<item> items;
    double given = 0;
    const int scale = round % 2 == 0 ? 2 : 400;
    for (std::size_t i = 0; i < 2 + random.below(15); ++i) items.push_back(random_item(random, scale));
    if (random.below(2) == 0) {  // cancels
      item opposite = items[0];
      opposite.sum.value = -opposite.sum.value, opposite.value -= 2 * exact(items[0].sum.value);
      items.push_back(opposite);
    }
    for (const item& each : items) given += each.sum.bound;
    while (items.size() > 1) {
      std::swap(items[random.below(items.size())], items.back());
      const item last = items.back();
      items.pop_back();
      item& other = items[random.below(items.size())];
      const xd_bounded sum = add(last.sum, other.sum), swapped = add(other.sum, last.sum);
      ASSERT_EQ(0, std::memcmp(&sum, &swapped, sizeof sum)) << "the operation does not commute";
      other.sum = sum, other.value += last.value;
      ASSERT_TRUE(encloses(other.sum, other.value, other.sum.bound)) << "round " << round;
    }
    without_new_bounds += !encloses(items[0].sum, items[0].value, given);
  }
  EXPECT_GT(without_new_bounds, 100) << "the test cannot see that additions lose bits";
}

TEST(bounded, sums_without_loss_keep_the_bound_0) {
  xd_bounded sum{0, 0, 0};
  for (int i = 0; i < 1000; ++i) sum = add(sum, {1, 0x1p-53, 0});
  EXPECT_EQ(sum.bound, 0);
  EXPECT_EQ(sum.value, 1000);
  EXPECT_EQ(sum.error, 1000 * 0x1p-53);
}

TEST(bounded, infinities_and_overflow) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  const xd_bounded plus = add({infinity, 0, 0}, {1, 0x1p-60, 0x1p-100});
  EXPECT_EQ(plus.value, infinity);
  EXPECT_EQ(add(plus, {1, 0, 0}).value, infinity);
  EXPECT_FALSE(plus.bound == infinity);
  EXPECT_TRUE(std::isnan(add({infinity, 0, 0}, {-infinity, 0, 0}).value));
  EXPECT_EQ(add({infinity, 0, 0}, {-infinity, 0, 0}).bound, 0);
  const xd_bounded over = add({largest, 0, 0}, {largest, 0, 0});
  EXPECT_EQ(over.bound, infinity) << "a finite sum became infinite";
  EXPECT_EQ(add(over, {-largest, 0, 0}).bound, infinity);
  EXPECT_EQ(add({1, 0, infinity}, {1, 0, 0}).bound, infinity);
}

TEST(bounded, arithmetic_is_standard_here) { EXPECT_TRUE(xd_mpi_arithmetic_is_standard()); }

}  // namespace
