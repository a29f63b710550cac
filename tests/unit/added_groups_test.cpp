// The C++ interface of results that are added to, and of rows with weights: values, shapes, errors, and that a
// failed call and a group without elements change no bit. property/group_added_test.cpp compares with sums of big
// integers.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<double> x = {1, 2, 3, 4, 5};
const std::vector<int> keys = {2, 0, 2, 0, 0};

TEST(added_groups, sums_and_dots) {
  std::vector<double> out = {1e300, -0.0, 0.5};
  sum(groups{x, keys, 3}, added_to{out});
  EXPECT_EQ(out, (std::vector<double>{1e300, 0, 4.5}));
  EXPECT_TRUE(std::signbit(out[1]));  // no element: its bits
  asum(groups{x, keys, 3}, added_to{out});
  EXPECT_EQ(out[2], 8.5);
  sum_of_squares(groups{x, keys, 3}, added_to{std::span(out)});
  EXPECT_EQ(out[2], 18.5);
  dot(groups{x, keys, 3}, std::vector<float>{1, 0, 1, 0, 2}, added_to{out});
  EXPECT_EQ(out[2], 22.5);
  std::vector<std::int64_t> whole = {-7, 5};
  sum(groups{std::vector<std::int8_t>{100, 100, 1}, std::vector<int>{0, 0, 0}, 2}, added_to{whole});
  EXPECT_EQ(whole, (std::vector<std::int64_t>{194, 5}));
}

/// One rounding: of the old value, which is far larger, and the elements, which cancel it or are ties.
TEST(added_groups, are_rounded_once) {
  std::vector<float> out = {0x1p24F, -0x1p100F, 1};
  sum(groups{std::vector<float>{1, 0x1p-30F, 0x1p100F, 0x1p-100F}, std::vector<int>{0, 0, 1, 1}, 3}, added_to{out});
  EXPECT_EQ(out, (std::vector<float>{0x1.000002p24F, 0x1p-100F, 1}));
  std::vector<double> of_floats = {0x1p-1074, -0x1p1000};  // beyond the states of floats
  sum(groups{std::vector<float>{0x1p-149F, 1, 0x1p100F}, std::vector<int>{0, 1, 0}, 2}, added_to{of_floats});
  EXPECT_EQ(of_floats, (std::vector<double>{0x1p100, -0x1p1000}));
  sum(groups{std::vector<float>{-0x1p100F, 0}, std::vector<int>{0, 1}, 2}, added_to{of_floats});
  EXPECT_EQ(of_floats, (std::vector<double>{0, -0x1p1000}));
}

TEST(added_groups, special_values) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> out = {infinity, infinity, -infinity, nan, 1, -0.0};
  sum(groups{std::vector<double>{1, -infinity, -infinity, 1, nan, -0.0}, std::vector<int>{0, 1, 2, 3, 4, 5}, 6},
      added_to{out});
  EXPECT_TRUE(out[0] == infinity && std::isnan(out[1]) && out[2] == -infinity && std::isnan(out[3]) &&
              std::isnan(out[4]) && out[5] == 0 && !std::signbit(out[5]));
}

TEST(added_groups, of_nothing) {
  std::vector<double> out = {7, -0.0};
  sum(groups{std::vector<double>{}, std::vector<int>{}, 2}, added_to{out});
  EXPECT_TRUE(out[0] == 7 && out[1] == 0 && std::signbit(out[1]));
  sum(groups{x, std::vector<int>{5, 5, -1, 5, 5}, 2, true}, added_to{out});
  EXPECT_TRUE(out[0] == 7 && out[1] == 0 && std::signbit(out[1]));
  sum(groups{std::vector<double>{}, std::vector<int>{}, 0}, added_to{std::span<double>()});
}

TEST(added_groups, errors) {
  std::vector<double> out = {7, 7, 7};
  expect_error(errc::bad_option, "mean is no sum, to which a value could be added", [&] {
    mean(groups{x, keys, 3}, added_to{out});
  });
  expect_error(errc::bad_option, "nrm2 is no sum", [&] { nrm2(groups{x, keys, 3}, added_to{out}); });
  expect_error(errc::bad_option, "max is no sum", [&] { max(groups{x, keys, 3}, added_to{out}); });
  expect_error(errc::bad_option, "only groups by keys are added to results", [&] {
    sum(rows{x.data(), 1, 5}, added_to{std::span(out).first(1)});
  });
  expect_error(errc::bad_option, "only groups by keys are added to results", [&] {
    sum(segments{x, std::vector<int>{0, 5}}, added_to{std::span(out).first(1)});
  });
  std::vector<std::int64_t> sizes(3);
  expect_error(errc::bad_option, "numbers of elements are not added to results",
               [&] { group_sizes(keys, 3, added_to{sizes}); });
  expect_error(errc::size_mismatch, "groups and of results", [&] { sum(groups{x, keys, 2}, added_to{out}); });
  expect_error(errc::bad_option, "key 0 is 2", [&] { sum(groups{x, keys, 2}, added_to{std::span(out).first(2)}); });
  expect_error(errc::bad_option, "no mode fast", [&] {
    sum(groups{x, keys, 3}, added_to{out}, {.mode = mode::fast});
  });
  std::vector<double> both = {1, 2, 3, 4};
  expect_error(errc::bad_option, "results lie within x", [&] {
    sum(groups{both, std::vector<int>{0, 1, 0, 1}, 2}, added_to{std::span(both).first(2)});
  });
  EXPECT_EQ(out, (std::vector<double>{7, 7, 7}));
}

TEST(added_groups, overflow) {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> out = {7, large, -large};
  const std::vector<std::int64_t> ones = {1, 1, -2};
  expect_error(errc::overflow, "result 1 does not fit into int64", [&] {
    sum(groups{ones, std::vector<int>{0, 1, 2}, 3}, added_to{out});
  });
  expect_error(errc::overflow, "result 2 does not fit", [&] {
    sum(groups{std::vector<std::int8_t>{1, -2, -1}, std::vector<int>{0, 2, 1}, 3}, added_to{out});
  });
  EXPECT_EQ(out, (std::vector<std::int64_t>{7, large, -large}));
  sum(groups{ones, std::vector<int>{2, 0, 1}, 3}, added_to{out});
  EXPECT_EQ(out, (std::vector<std::int64_t>{8, large - 2, 1 - large}));
  // products whose sum is 2^128, of which the low words are zero
  const std::vector<std::uint64_t> a(4, std::uint64_t{1} << 63);
  std::vector<std::uint64_t> to = {5};
  for (const int key : {0, 1}) {
    expect_error(errc::overflow, "result 0 does not fit into uint64", [&] {
      dot(groups{a, std::vector<int>{key, 0, key, key}, 1, true},
          std::vector<std::uint64_t>(4, std::uint64_t{1} << 63), added_to{to});
    });
  }
  EXPECT_EQ(to[0], 5U);
}

/// Rows with one weight each, in the order of rows or another: the same bits.
TEST(weighted_rows, have_the_bits_of_dots) {
  const std::size_t n = 300, columns = 24, count = 7;
  std::vector<bfloat16> values(n * columns);
  std::vector<float> weights(n);
  std::vector<int> by(n);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<bfloat16>(static_cast<float>(std::sin(static_cast<double>(i)) * std::exp2(i % 30)));
  for (std::size_t i = 0; i < n; ++i)
    weights[i] = static_cast<float>(std::cos(static_cast<double>(i))), by[i] = static_cast<int>(i * i % count);
  const auto size = static_cast<std::ptrdiff_t>(sizeof(bfloat16));
  const axis row{columns, size}, none{columns, 0};
  const auto call = [&](const std::vector<std::size_t>& order, bool weights_first) {
    std::vector<bfloat16> of(values.size());
    std::vector<float> w(n), out(count * columns);
    std::vector<int> k(n);
    for (std::size_t i = 0; i < n; ++i) {
      w[i] = weights[order[i]], k[i] = by[order[i]];
      std::copy_n(&values[order[i] * columns], columns, &of[i * columns]);
    }
    const axis along{n, size * static_cast<std::ptrdiff_t>(columns)}, along_weights{n, sizeof(float)};
    const any_grid a{of.data(), element_type::bfloat16, {&row, 1}, {&along, 1}},
        b{w.data(), element_type::float32, {&none, 1}, {&along_weights, 1}};
    const axis places[] = {{count, static_cast<std::ptrdiff_t>(columns * sizeof(float))}, {columns, sizeof(float)}};
    dot(weights_first ? b : a, weights_first ? a : b,
        any_keys{k.data(), n, element_type::int32, sizeof(int), count},
        {out.data(), element_type::float32, places});
    return out;
  };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto found = call(order, false);
  EXPECT_EQ(found, call(order, true));
  std::ranges::reverse(order);
  EXPECT_EQ(found, call(order, false));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return by[i]; });
  EXPECT_EQ(found, call(order, false));
  std::vector<bfloat16> column;
  std::vector<float> w;
  for (std::size_t i = 0; i < n; ++i) {
    if (by[i] == 4) column.push_back(values[i * columns + 17]), w.push_back(weights[i]);
  }
  EXPECT_EQ(found[4 * columns + 17], dot(column, w));
}

}  // namespace
