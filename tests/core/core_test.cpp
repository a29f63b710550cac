// exactdot/core in constant expressions.
//
// The compiler evaluates them only if they do not allocate, call a library or have undefined behaviour. The cases
// are those in which other exact sums have failed: ties, subnormals, carries out of the highest bit, all-ones
// limbs.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/finish.hpp>
#include <exactdot/order_v1.hpp>
#include <limits>

namespace {

using namespace exactdot::core;

template <class T>
struct pair {
  T a, b;
};

/// The sum of the products, rounded to R.
template <class R, class T, std::size_t n>
constexpr R sum(const pair<T> (&terms)[n]) {
  constexpr state_layout layout = layout_of<T>();
  std::int64_t words[layout.words()] = {};
  for (const auto& [a, b] : terms) add_term<T>(words, exact_addend<product>(a, b));
  normalise(layout, words);
  return from_word<R>(finish_state({finish::round, format<R>::number}, layout, words).word);
}

using doubles = pair<double>;
using floats = pair<float>;
constexpr double largest = std::numeric_limits<double>::max(), smallest = 0x1p-1074;
constexpr double infinite = std::numeric_limits<double>::infinity();

static_assert(sum<double>({doubles{1e200, 1e200}, {1e200, -1e200}, {1, 1}}) == 1);
static_assert(sum<double>({doubles{1, 1}, {0x1p-53, 1}}) == 1, "a tie goes to even, down");
static_assert(sum<double>({doubles{1 + 0x1p-52, 1}, {0x1p-53, 1}}) == 1 + 0x1p-51, "a tie goes to even, up");
static_assert(sum<double>({doubles{1, 1}, {0x1p-53, 1}, {smallest, smallest}}) == 1 + 0x1p-52,
              "slightly above a tie");
static_assert(sum<double>({doubles{1, 1}, {0x1p-53, 1}, {smallest, -smallest}}) == 1, "slightly below a tie");
static_assert(sum<double>({doubles{-1, 1}, {smallest, smallest}}) == -1, "a borrow through a thousand zeros");
static_assert(sum<double>({doubles{2, 1}, {-0x1p-53, 1}}) == 2, "a carry out of the significand");
static_assert(sum<double>({doubles{largest, 1}, {0x1p969, 1}}) == largest, "below the overflow threshold");
static_assert(sum<double>({doubles{largest, 1}, {0x1p970, 1}}) == infinite, "at the overflow threshold");
static_assert(sum<double>({doubles{largest, -largest}, {largest, largest}, {3, 1}}) == 3);
static_assert(sum<double>({doubles{smallest, 0.5}}) == 0, "half the smallest subnormal is a tie");
static_assert(sum<double>({doubles{smallest, 0.5}, {smallest, 0.25}}) == smallest);
static_assert(bit_cast<std::uint64_t>(sum<double>({doubles{-smallest, smallest}})) == std::uint64_t{1} << 63, "-0");
static_assert(bit_cast<std::uint64_t>(sum<double>({doubles{-1, 1}, {1, 1}})) == 0, "a zero sum is +0");
static_assert(sum<double>({doubles{infinite, 1}, {1, 1}}) == infinite);
static_assert(bit_cast<std::uint64_t>(sum<double>({doubles{infinite, 0}})) == 0x7ff8000000000000);
static_assert(sum<float>({doubles{1, 1}, {0x1p-24, 1}, {0x1p-60, 1}}) == 1 + 0x1p-23f, "rounded once, not twice");
static_assert(sum<double>({floats{0x1p-149f, 0x1p-149f}}) == 0x1p-298, "the last bit of a product of floats");
static_assert(sum<float>({floats{0x1p-149f, 0x1p-149f}}) == 0);

static_assert(two_sum(1.0, 0x1p-60).error == 0x1p-60 && fast_two_sum(1.0, 0x1p-60).value == 1);

template <class T>
constexpr T tree_of(int leaves) {
  exactdot::tile_tree<T> tree;
  for (int i = 1; i <= leaves; ++i) tree.push(static_cast<T>(i));
  return tree.root();
}
static_assert(tree_of<double>(0) == 0 && tree_of<double>(1) == 1 && tree_of<double>(7) == 28);

/// Every power of two in the range of double.
TEST(core, rounds_every_power_of_two) {
  for (int i = -1074; i <= 1023; ++i) {
    const double x = std::ldexp(1.0, i);
    EXPECT_EQ((sum<double>({doubles{-x, 1.0}})), -x) << "2^" << i;
  }
}

/// Limbs at both ends of their range propagate carries without overflow.
TEST(core, normalises_extreme_limbs) {
  std::int64_t limbs[4] = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), -1,
                           0};
  normalise({limbs, 4, 0});
  EXPECT_EQ(limbs[0], 0xffffffff);
  EXPECT_EQ(limbs[1], 0x7fffffff);
  EXPECT_EQ(limbs[2], 0x7fffffff);
  EXPECT_EQ(limbs[3], -1);
}

}  // namespace
