// Windows of states, without MPI: their sum is the sum of the states, in any order, or they tell that it is not.
#include <exactdot/mpi/window.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exactdot/accumulator.hpp>
#include <limits>
#include <vector>

#include "oracle/random.hpp"

namespace {

using exactdot::accumulator;
constexpr int limbs = 134;

std::vector<std::int64_t> words_of(const std::vector<double>& x) {
  accumulator<double> sum;
  sum.add(std::span<const double>(x));
  const auto words = sum.words();
  return {words.begin(), words.end()};
}

xd_mpi_window window_of(const std::vector<std::int64_t>& words) {
  xd_mpi_window window;
  xd_mpi_to_window(words.data(), limbs, &window);
  return window;
}

void add(xd_mpi_window from, xd_mpi_window& to) {
  int one = 1;
  xd_mpi_add_windows(&from, &to, &one, nullptr);
}

/// Numbers of one process, below 2^(least + spread + 52).
std::vector<double> numbers(oracle::rng& random, int least, int spread) {
  std::vector<double> x(random.below(5));
  for (double& each : x) {
    const auto significand = static_cast<double>(random.below(1ULL << 53)) - 0x1p52;
    each = std::ldexp(significand, least + static_cast<int>(random.below(static_cast<std::uint64_t>(spread))));
  }
  return x;
}

TEST(window, sums_are_those_of_the_states_or_do_not_fit) {
  oracle::rng random(7);
  int fit = 0, wrong_if_unchecked = 0;
  for (int round = 0; round < 3000; ++round) {
    const int spread = round % 3 == 0 ? 1900 : round % 3 == 1 ? 420 : 60;
    const int least = std::min(static_cast<int>(random.below(1900)) - 1070, 970 - spread);
    std::vector<double> all;
    std::vector<xd_mpi_window> windows;
    for (std::size_t i = 0; i < 1 + random.below(16); ++i) {
      const std::vector<double> mine = numbers(random, least, spread);
      all.insert(all.end(), mine.begin(), mine.end());
      windows.push_back(window_of(words_of(mine)));
    }
    while (windows.size() > 1) {  // any tree
      std::swap(windows[random.below(windows.size())], windows.back());
      const xd_mpi_window last = windows.back();
      windows.pop_back();
      add(last, windows[random.below(windows.size())]);
    }
    const std::vector<std::int64_t> expected = words_of(all);
    std::vector<std::int64_t> found(expected.size());
    if (xd_mpi_window_fits(windows.data())) {
      ++fit;
      xd_mpi_from_window(windows.data(), limbs, found.data());
      ASSERT_EQ(found, expected) << "round " << round;
    } else {
      const auto span = windows[0].high + windows[0].minus_low;
      ASSERT_GT(span, static_cast<std::int64_t>(XD_MPI_WINDOW_LIMBS));
      for (std::int64_t i = 0; i < limbs; ++i) found[static_cast<std::size_t>(i)] = windows[0].limbs[i % 16];
      wrong_if_unchecked += found != expected;
    }
  }
  EXPECT_GT(fit, 1000);
  EXPECT_GT(wrong_if_unchecked, 300) << "the test has no states that do not fit";
}

TEST(window, edges) {
  constexpr double least = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();
  for (const std::vector<double>& x :
       {std::vector<double>{}, {0.0}, {least}, {-least}, {largest, largest}, {-largest, -largest}, {1, -1}, {-1}}) {
    const auto words = words_of(x);
    const xd_mpi_window window = window_of(words);
    std::vector<std::int64_t> found(words.size());
    ASSERT_TRUE(xd_mpi_window_fits(&window));
    xd_mpi_from_window(&window, limbs, found.data());
    EXPECT_EQ(found, words);
  }
}

TEST(window, specials_and_failures_are_told) {
  xd_mpi_window sum = window_of(words_of({1}));
  xd_mpi_window failed = window_of(words_of({2}));
  failed.flags += 1;
  add(failed, sum);
  EXPECT_TRUE(xd_mpi_window_fits(&sum));
  EXPECT_EQ(sum.flags, 1);
  add(window_of(words_of({std::numeric_limits<double>::infinity()})), sum);
  EXPECT_FALSE(xd_mpi_window_fits(&sum));
}

TEST(window, range_beyond_the_window_is_told) {
  xd_mpi_window sum = window_of(words_of({1}));
  add(window_of(words_of({0x1p512})), sum);
  EXPECT_FALSE(xd_mpi_window_fits(&sum));
}

}  // namespace
