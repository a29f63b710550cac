// The memory that calls of groups take: the tables that docs/shapes.md names, and gathered elements within 1/16 of
// the input, or 1 MiB.
#include <gtest/gtest.h>

#include <cmath>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "counted_memory.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using counted_memory::peak_of;
using oracle::rng;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Beside the input: what gathered elements, or tables of all groups for several threads, may take.
std::size_t beside(std::size_t input_bytes) { return std::max(mebibyte, input_bytes / 16); }

/// Reducers, flags of progress and the like.
std::size_t small_change(int threads) { return 65'536 + 16'384 * static_cast<std::size_t>(threads); }

/// Keys in random order, of groups of the same size.
std::vector<std::uint32_t> shuffled_keys(rng& random, std::size_t n, std::size_t groups) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i % groups);
  random.shuffle(keys);
  return keys;
}

/// The first call of a program makes threads.
void warm_up(int threads) {
  const std::vector<double> x(1 << 18, 1.0);
  static_cast<void>(sum(x, {.threads = threads}));
}

/// Elements are gathered for states: whatever their groups' sizes, in pieces or many groups at a time.
TEST(memory_of_groups, gathered_elements) {
  rng random(1);
  constexpr state_format of{reduction::sum, type_of<float>, state_form::compact};
  for (const std::size_t n : {std::size_t{1} << 17, std::size_t{1} << 22}) {
    const std::vector<float> x(n, 1.0F);
    for (const std::size_t groups : {std::size_t{3}, std::size_t{1000}, n / 16}) {
      const auto keys = shuffled_keys(random, n, groups);
      std::vector<std::int64_t> words(groups * of.words());
      for (const int threads : {1, 3, 16}) {
        warm_up(threads);
        const std::size_t found = peak_of([&] {
          sum_into(exactdot::groups{x, keys, groups}, words, of.form, {.threads = threads});
        });
        const std::size_t gathered = beside(n * sizeof(float));
        const std::size_t of_groups = 25 * groups + 24 * 16 * 20;  // counts, open groups, flags; lots
        EXPECT_LE(found, gathered + of_groups + small_change(threads)) << n << " in " << groups << ", " << threads;
        if (threads == 1) {
          EXPECT_GT(found, gathered / 2);  // that buffers are counted
        }
      }
    }
  }
}

/// What open sums take beside a call without any: tiny groups, whose places take as much as their elements.
TEST(memory_of_groups, open_sums) {
  rng random(2);
  const std::size_t n = std::size_t{1} << 21, groups = n / 4;
  const std::vector<double> plain(n, 1.0);
  std::vector<double> open(n);
  const auto keys = shuffled_keys(random, n, groups);
  std::vector<unsigned> found(groups);
  for (std::size_t i = 0; i < n; ++i) {  // 1, 2^-200, 2^-400 and -1: no bound decides such a sum
    constexpr double terms[] = {1, 0x1p-200, 0x1p-400, -1};
    open[i] = terms[found[keys[i]]++ % 4];
  }
  std::vector<double> out(groups);
  for (const int threads : {1, 3}) {
    warm_up(threads);
    const auto peak_of_sum = [&](const std::vector<double>& x) {
      return peak_of([&] { sum(exactdot::groups{x, keys, groups}, out, {.threads = threads}); });
    };
    const std::size_t without = peak_of_sum(plain), with = peak_of_sum(open);
    EXPECT_LE(with, without + beside(n * sizeof(double)) + 8 * groups + small_change(threads)) << threads;
    EXPECT_GT(with, without + beside(n * sizeof(double)) / 2) << threads;
  }
}

/// Tables of each kind, of few groups and of many.
TEST(memory_of_groups, tables) {
  rng random(3);
  const std::size_t n = std::size_t{1} << 21;
  std::vector<double> x(n);
  std::vector<std::int64_t> integers(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = random.unit(), integers[i] = random.between(0, 1 << 20);
  for (const std::size_t groups : {std::size_t{10}, std::size_t{5000}, n / 2}) {
    const auto keys = shuffled_keys(random, n, groups);
    std::vector<double> out(groups);
    for (const int threads : {1, 3, 16}) {
      warm_up(threads);
      const options o{.threads = threads};
      const std::size_t counts = 9 * groups + std::max(mebibyte, n * sizeof(std::uint32_t) / 16);
      const auto check = [&](const char* name, std::size_t bytes, auto call) {
        const auto all = static_cast<std::size_t>(threads);
        const std::size_t copies = groups <= 128 ? 8 : 1, of_tables = all * bytes * groups * copies;
        const std::size_t limit = threads == 1 ? n * 8 : std::max(beside(n * 8), bytes * groups);
        const std::size_t found = peak_of(call);
        EXPECT_LE(found, counts + std::min(of_tables, limit) + all * 65'536 * copies / 4 + small_change(threads))
            << name << ", " << groups << " groups, " << threads << " threads";
      };
      check("sum", 32, [&] { sum(exactdot::groups{x, keys, groups}, out, o); });
      check("variance", 64, [&] { variance(exactdot::groups{x, keys, groups}, out, 1, o); });
      check("max", 8, [&] { max(exactdot::groups{x, keys, groups}, out, o); });
      check("integer sum", 16, [&] { sum(exactdot::groups{integers, keys, groups}, out, o); });
      check("integer squares", 32, [&] { sum_of_squares(exactdot::groups{integers, keys, groups}, out, o); });
    }
  }
}

}  // namespace
