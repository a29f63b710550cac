// The operation of the short message, without MPI: the bound encloses the error of any tree of additions, and it
// must, since sums whose bounds are dropped are wrong.
#include <exactdot/mpi/message.h>
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

constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();

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

/// Items of every kind: finite, special, cancelling, of the whole range.
xd_bounded any_item(oracle::rng& random) {
  const double specials[] = {0,
                             -0.0,
                             infinity,
                             -infinity,
                             std::numeric_limits<double>::quiet_NaN(),
                             largest,
                             -largest,
                             std::numeric_limits<double>::denorm_min()};
  if (random.below(40) == 0) return {specials[random.below(std::size(specials))], 0, 0};
  xd_bounded x = random_item(random, random.below(2) == 0 ? 3 : 700).sum;
  if (random.below(4) == 0) x = {1, random.below(2) == 0 ? 0x1p-53 : 0, 0};
  if (random.below(40) == 0) x.bound = infinity;
  return x;
}

TEST(bounded, vectors_of_every_width_have_the_bits_of_single_results) {
  oracle::rng random(11);
  int one = 1;
  for (int round = 0; round < 20000; ++round) {
    xd_mpi_block from{}, to{}, expected{};
    for (int i = 0; i < XD_MPI_WIDTH; ++i) {
      xd_mpi_set_item(&from, i, any_item(random)), xd_mpi_set_item(&to, i, any_item(random));
      xd_mpi_set_item(&expected, i, xd_mpi_add_special(xd_mpi_item(&from, i), xd_mpi_item(&to, i)));
    }
    xd_mpi_block plain = to, best = to;
    xd_mpi_add_blocks(&from, &plain, &one, nullptr);
    xd_mpi_best_add()(&from, &best, &one, nullptr);
    for (int i = 0; i < XD_MPI_WIDTH; ++i) {
      if (std::isnan(expected.value[i])) continue;  // whose bits depend on the order of operands
      ASSERT_EQ(std::memcmp(&plain.value[i], &expected.value[i], 8), 0) << "round " << round;
      ASSERT_EQ(std::memcmp(&best.value[i], &expected.value[i], 8), 0) << "round " << round;
      ASSERT_EQ(plain.rest[i], expected.rest[i]) << "round " << round;
      ASSERT_EQ(best.rest[i], expected.rest[i]) << "round " << round;
    }
  }
}

TEST(bounded, what_travels_encloses_what_was_given) {
  oracle::rng random(13);
  for (int round = 0; round < 20000; ++round) {
    const item given = random_item(random, 900);
    xd_mpi_block block{};
    xd_mpi_put(&block, 5, given.sum);
    const xd_bounded sent = xd_mpi_get(&block, 5);
    ASSERT_EQ(sent.value, given.sum.value);
    ASSERT_TRUE(encloses(sent, given.value, sent.bound));
    const mpf_class lost = exact(given.sum.bound) + abs(exact(given.sum.error)) * exact(0x1p-32);
    ASSERT_TRUE(exact(sent.bound) <= lost * exact(1 + 0x1p-8)) << "wider than need be";
  }
  xd_mpi_block block{};
  xd_mpi_put(&block, 0, {1, 0x1.00000001p-60, 0});
  EXPECT_EQ(xd_mpi_get(&block, 0).bound, 0);
  xd_mpi_put(&block, 0, {1, 0x1.000000008p-60, 0});
  EXPECT_GE(xd_mpi_get(&block, 0).bound, 0x1p-93);
  EXPECT_LE(xd_mpi_get(&block, 0).bound, 0x1.008p-93);
  for (const double bound : {infinity, largest, std::numeric_limits<double>::denorm_min()}) {
    xd_mpi_put(&block, 0, {1, 0, bound});
    EXPECT_GE(xd_mpi_get(&block, 0).bound, bound);
  }
  xd_mpi_put(&block, 0, {1, std::numeric_limits<double>::quiet_NaN(), 0});
  EXPECT_FALSE(xd_mpi_get(&block, 0).bound < infinity);
}

TEST(bounded, integers_stay_exact) {
  xd_bounded sum{0, 0, 0};
  std::uint64_t total = 0;
  oracle::rng random(17);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t x = random.below(std::uint64_t{1} << (i % 53));
    sum = add(sum, xd_mpi_integer(x)), total += x;
  }
  EXPECT_EQ(sum.bound, 0);
  EXPECT_EQ(xd_mpi_to_integer(sum), total);
  sum = add(xd_mpi_integer((std::uint64_t{1} << 62) - 1), xd_mpi_integer((std::uint64_t{1} << 62) - 3));
  EXPECT_EQ(sum.bound, 0);
  EXPECT_EQ(xd_mpi_to_integer(sum), (std::uint64_t{1} << 63) - 4);
}

/// Eight sums at once are decided as one by one, and none that is undecided.
TEST(bounded, blocks_round_as_single_results) {
  oracle::rng random(19);
  int decided_blocks = 0, undecided_blocks = 0;
  for (int round = 0; round < 20000; ++round) {
    xd_mpi_block block{};
    double found[XD_MPI_WIDTH], expected[XD_MPI_WIDTH];
    bool all_decided = true;
    for (int i = 0; i < XD_MPI_WIDTH; ++i) {
      xd_bounded x = any_item(random);
      if (random.below(3) != 0) x.bound = std::abs(x.value) * 0x1p-85;
      if (random.below(20) == 0) x = {5, -5, 0};
      if (random.below(20) == 0) x = {-0.0, -0.0, 0};
      if (random.below(5) == 0) {  // near a tie
        x = {1, 0x1p-53 + (static_cast<double>(random.below(9)) - 4) * 0x1p-84, 0x1p-84};
      }
      xd_mpi_set_item(&block, i, x);
      x = xd_mpi_get(&block, static_cast<std::size_t>(i));
      unsigned char decided = 0;
      ASSERT_EQ(
          xd_round_bounded(XD_SUM, XD_FLOAT64, 1, &x, nullptr, nullptr, 0, XD_FLOAT64, &expected[i], &decided),
          XD_OK);
      all_decided = all_decided && decided != 0;
    }
    if (xd_mpi_round_block(&block, found) == 0) {
      ++undecided_blocks;
      continue;
    }
    ++decided_blocks;
    ASSERT_TRUE(all_decided) << "round " << round;
    ASSERT_EQ(std::memcmp(found, expected, sizeof found), 0) << "round " << round;
  }
  EXPECT_GT(decided_blocks, 1000);
  EXPECT_GT(undecided_blocks, 1000);
}

TEST(bounded, arithmetic_is_standard_here) { EXPECT_TRUE(xd_mpi_arithmetic_is_standard()); }

}  // namespace
