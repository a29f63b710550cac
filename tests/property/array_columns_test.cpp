// Reductions of the columns of an array and of its short rows: hostile ones beside each other, and 64-bit integers
// that doubles hold beside others, have the bits of the same reductions of vectors.
#include <gtest/gtest.h>

#include <cmath>
#include <cpu/kernels.hpp>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <exactdot/shapes.hpp>
#include <limits>

#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;

template <class T>
class columns_of_an_array : public testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(columns_of_an_array, carriers);

/// What a column of a hostile matrix holds.
template <class T>
T hostile(oracle::rng& random, std::size_t column, std::size_t row, std::size_t rows) {
  const auto x = static_cast<T>(2 * random.unit() - 1);
  switch (column % 12) {
    case 0:
      return x;
    case 1:  // cancels but for the last bits
      return row % 2 == 0 ? 1e30F : row + 1 == rows ? 0x1p-20F : -1e30F;
    case 2:  // half way between two floats
      return row == 0 ? 0x1p24F : row == rows / 2 ? 1.0F : 0.0F;
    case 3:  // next to half way
      return row == 0 ? 0x1p24F : row == rows / 2 ? 1.0F : row + 1 == rows ? 0x1p-149F : 0.0F;
    case 4:
      return -0.0F;
    case 5:
      return row == rows / 3 ? HUGE_VALF : x;
    case 6:
      return row == rows / 3 ? HUGE_VALF : row == rows / 2 ? -HUGE_VALF : x;
    case 7:
      return row == rows / 3 ? NAN : x;
    case 8:
      return x * 0x1p-149F * 64;
    case 9:
      return row % 2 == 0 ? 3e38F : x;
    case 10:
      return std::ldexp(x, random.between(-120, 120));
    default:
      return static_cast<T>(random.between(-3, 3));
  }
}

template <class T>
void expect_bits(T got, T wanted, std::size_t column) {
  EXPECT_EQ(std::memcmp(&got, &wanted, sizeof(T)), 0) << column << ": " << got << " is not " << wanted;
}

template <class T>
void check_hostile(oracle::rng& random, std::size_t rows, std::size_t width) {
  std::vector<T> x(rows * width), y(rows), column(rows);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = hostile<T>(random, i % width, i / width, rows);
  for (const int threads : {1, 3}) {
    for (T& each : y) each = threads == 1 ? T(1) : static_cast<T>(random.unit());
    const options o{.threads = threads};
    const columns all{x.data(), rows, width};
    std::vector<T> sums(width), sizes(width), norms(width), means(width), dots(width), variances(width);
    sum(all, sums, o), asum(all, sizes, o), nrm2(all, norms, o), mean(all, means, o);
    dot(all, repeated{y.data(), rows}, dots, o), variance(all, variances, 1, o);
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t i = 0; i < rows; ++i) column[i] = x[i * width + k];
      expect_bits(sums[k], sum(column), k);
      expect_bits(sizes[k], asum(column), k);
      expect_bits(norms[k], nrm2(column), k);
      expect_bits(means[k], mean(column), k);
      expect_bits(dots[k], dot(column, y), k);
      expect_bits(variances[k], variance(column, 1), k);
    }
  }
}

/// Wide and narrow matrices, few rows and many, one thread and several: all columns have the bits of vectors.
TYPED_TEST(columns_of_an_array, hostile_data_have_the_bits_of_vectors) {
  oracle::rng random(3);
  for (const instruction_set* set : runnable_instruction_sets()) {
    use_instruction_set(set->name);
    constexpr std::pair<std::size_t, std::size_t> shapes[] = {{3, 1500}, {40, 1300}, {900, 70}, {5000, 13},
                                                              {300, 24}, {5003, 5},  {700, 3}};
    for (const auto& [rows, width] : shapes) {
      SCOPED_TRACE(std::string(set->name) + ' ' + std::to_string(rows) + " x " + std::to_string(width));
      check_hostile<TypeParam>(random, rows, width);
      if (testing::Test::HasFailure()) return;
    }
  }
  use_instruction_set("");
}

/// 64-bit integers that doubles hold, next to the largest that are read so, and beyond; sums that no double holds.
template <class T>
T wide_integer(oracle::rng& random, std::size_t column) {
  const std::uint64_t word = random.below(~std::uint64_t{0});
  const T limit = T{1} << 51;
  switch (column % 8) {
    case 0:
      return static_cast<T>(random.below(7));
    case 1:
      return static_cast<T>(limit - 1 - static_cast<T>(random.below(2)));
    case 2:
      return is_signed(type_of<T>) ? static_cast<T>(T{0} - limit + static_cast<T>(random.below(2))) : T{5};
    case 3:
      return static_cast<T>(word >> 14);
    default:
      return static_cast<T>(random.below(2001)) - (is_signed(type_of<T>) ? T{1000} : T{0});
  }
}

/// large: of how many columns one holds an integer that is not read as a double.
template <class T>
void check_wide_integers(oracle::rng& random, std::size_t count, std::size_t n, bool are_columns,
                         std::size_t large) {
  std::vector<T> x(count * n), one(n);
  const auto place = [&](std::size_t k, std::size_t i) { return are_columns ? i * count + k : k * n + i; };
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < n; ++i) x[place(k, i)] = wide_integer<T>(random, k);
    constexpr int bits[] = {51, 52, 53, 62};
    if (k % large == large - 1) x[place(k, n / 2)] = static_cast<T>(T{1} << bits[random.below(4)]);
  }
  std::vector<double> means(count), norms(count), variances(count);
  std::vector<float> deviations(count), sums(count);
  std::vector<T> integers(count);
  const options o{.threads = 1};
  const auto reduce = [&](const auto& all) {
    mean(all, means, o), nrm2(all, norms, o), variance(all, variances, 1, o), stddev(all, deviations, 0, o);
    sum(all, sums, o), sum(all, integers, o);
  };
  if (are_columns) reduce(columns{x.data(), n, count});
  if (!are_columns) reduce(rows{x.data(), count, n});
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < n; ++i) one[i] = x[place(k, i)];
    expect_bits(means[k], mean(one), k);
    expect_bits(norms[k], nrm2(one), k);
    expect_bits(variances[k], variance(one, 1), k);
    expect_bits(deviations[k], stddev<float>(one, 0), k);
    expect_bits(sums[k], sum<float>(one), k);
    expect_bits(integers[k], sum<T>(one), k);
  }
}

TEST(columns_and_short_rows, of_wide_integers_have_the_bits_of_vectors) {
  oracle::rng random(4);
  for (const instruction_set* set : runnable_instruction_sets()) {
    use_instruction_set(set->name);
    for (const std::size_t n : {1, 2, 3, 8, 31, 700}) {
      for (const std::size_t large : {1, 9, 300, 100'000}) {
        for (const bool are_columns : {false, true}) {
          SCOPED_TRACE(std::string(set->name) + ' ' + std::to_string(n) + ' ' + std::to_string(large));
          const std::size_t count = n > 100 ? 60 : 1300;
          check_wide_integers<std::int64_t>(random, count, n, are_columns, large);
          check_wide_integers<std::uint64_t>(random, count, n, are_columns, large);
          if (HasFailure()) return;
        }
      }
    }
  }
  use_instruction_set("");
}

/// Sums at both ends of what the integer type holds, and one beyond.
TEST(columns_of_integers, end_where_the_type_does) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most - 1;
  const std::vector<std::int64_t> x = {most, least, most - 1, least + 1, -1, 0, 0, 0, 1, -1, 0, 5};
  std::vector<std::int64_t> out(6);
  sum(columns{x.data(), 2, 6}, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{most, least, most, least, -1, 5}));
  std::vector<std::uint64_t> y = {~std::uint64_t{0}, 1, 0, 7}, sums(2);
  sum(columns{y.data(), 2, 2}, sums);
  EXPECT_EQ(sums, (std::vector<std::uint64_t>{~std::uint64_t{0}, 8}));
  for (const std::int64_t beyond : {most, least}) {
    const std::vector<std::int64_t> z = {1, beyond, 3, 1, beyond < 0 ? -1 : 1, 3};
    out.assign(3, 0);
    EXPECT_THROW(sum(columns{z.data(), 2, 3}, out), exactdot::error);
  }
  y[2] = 1;
  EXPECT_THROW(sum(columns{y.data(), 2, 2}, sums), exactdot::error);
}

}  // namespace
