// Extreme elements of columns, which are read row by row: values, indices, zeros and NaNs, widths that fill no register,
// on several threads, of every element type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace exactdot;

/// Extrema of columns have the index and the bits of the vector call on each, whatever the widths and lengths.
template <class T>
void check_extrema_of_columns(std::size_t n, std::size_t width) {
  using word = typename detail::unsigned_of<sizeof(T)>::type;
  std::vector<word> bits(n * width);
  std::uint64_t state = n * 1000 + width;
  for (word& each : bits) {  // NaN, both zeros and equal elements among them
    state = state * 6364136223846793005U + 1442695040888963407U;
    each = state >> 60 < 8 ? static_cast<word>(state >> 40)
                           : static_cast<word>(word(state >> 57 & 1) << (8 * sizeof(T) - 1));
  }
  const T* const x = reinterpret_cast<const T*>(bits.data());
  std::vector<std::size_t> least(width), greatest(width);
  std::vector<T> low(width), high(width);
  for (const int threads : {1, 3}) {
    argmin(columns{x, n, width}, least, {.threads = threads}),
        argmax(columns{x, n, width}, greatest, {.threads = threads});
    min(columns{x, n, width}, low, {.threads = threads}), max(columns{x, n, width}, high, {.threads = threads});
    for (std::size_t i = 0; i < width; ++i) {
      const strided column{x + i, n, static_cast<std::ptrdiff_t>(width)};
      ASSERT_EQ(least[i], argmin(column)) << n << ' ' << width << ' ' << i;
      ASSERT_EQ(greatest[i], argmax(column)) << n << ' ' << width << ' ' << i;
      const T expected[] = {min(column), max(column)};
      ASSERT_EQ(std::memcmp(&low[i], &expected[0], sizeof(T)), 0) << n << ' ' << width << ' ' << i;
      ASSERT_EQ(std::memcmp(&high[i], &expected[1], sizeof(T)), 0) << n << ' ' << width << ' ' << i;
    }
  }
}

TEST(batches, extrema_of_columns) {
  for (const std::size_t n : {2U, 17U, 255U, 256U, 300U, 2100U}) {
    for (const std::size_t width : {2U, 8U, 31U, 33U, 64U, 130U, 1100U}) {
      if (n * width > 300000) continue;
      check_extrema_of_columns<double>(n, width), check_extrema_of_columns<float>(n, width);
      check_extrema_of_columns<float16>(n, width), check_extrema_of_columns<bfloat16>(n, width);
      check_extrema_of_columns<float8_e4m3fn>(n, width), check_extrema_of_columns<float8_e5m2>(n, width);
      check_extrema_of_columns<std::int8_t>(n, width), check_extrema_of_columns<std::uint8_t>(n, width);
      check_extrema_of_columns<std::int16_t>(n, width), check_extrema_of_columns<std::uint16_t>(n, width);
      check_extrema_of_columns<std::int32_t>(n, width), check_extrema_of_columns<std::uint32_t>(n, width);
      check_extrema_of_columns<std::int64_t>(n, width), check_extrema_of_columns<std::uint64_t>(n, width);
    }
  }
}

/// Numbers compare as keys do but for zeros and NaNs: columns without numbers of one sign, whose extreme is a zero,
/// with zeros of both signs in some rows and one NaN, of either sign, in a row of some columns.
template <class T>
void check_zeros_and_nans_of_columns(std::size_t n, std::size_t width, int round) {
  std::vector<T> x(n * width);
  std::uint64_t state = n * 1000 + width + static_cast<std::uint64_t>(round);
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (std::size_t i = 0; i < width; ++i) {
    const float sign = random(2) == 0 ? -1.0F : 1.0F, zero = random(2) == 0 ? -0.0F : 0.0F;
    const std::size_t odd_one = random(n);  // the row of the only zero of the other sign
    for (std::size_t r = 0; r < n; ++r) {
      const float number = random(3) == 0 ? sign * static_cast<float>(1 + random(5)) : zero;
      x[r * width + i] = static_cast<T>(r == odd_one ? -zero : number);
    }
    if (random(4) == 0) x[random(n) * width + i] = static_cast<T>(std::copysign(std::nanf(""), zero));
  }
  std::vector<T> low(width), high(width);
  min(columns{x.data(), n, width}, low), max(columns{x.data(), n, width}, high);
  for (std::size_t i = 0; i < width; ++i) {
    const strided column{x.data() + i, n, static_cast<std::ptrdiff_t>(width)};
    const T expected[] = {min(column), max(column)};
    ASSERT_EQ(std::memcmp(&low[i], &expected[0], sizeof(T)), 0) << n << ' ' << width << ' ' << i;
    ASSERT_EQ(std::memcmp(&high[i], &expected[1], sizeof(T)), 0) << n << ' ' << width << ' ' << i;
  }
}

TEST(batches, extrema_of_columns_of_zeros_and_nans) {
  for (const std::string& target : cpu().instruction_sets) {
    use_instruction_set(target);
    for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 40U, 300U}) {
      for (const std::size_t width : {8U, 33U, 67U, 130U}) {
        for (int round = 0; round < 4; ++round) {
          SCOPED_TRACE(target + ", round " + std::to_string(round));
          check_zeros_and_nans_of_columns<double>(n, width, round);
          check_zeros_and_nans_of_columns<float>(n, width, round);
          check_zeros_and_nans_of_columns<float16>(n, width, round);
          check_zeros_and_nans_of_columns<bfloat16>(n, width, round);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  use_instruction_set("");
}

/// A thread that has no rows of a panel hands over nothing, not what it found in the panel before.
TEST(batches, indices_of_columns_forget_the_panel_before) {
  constexpr std::size_t n = 2048, width = 512;
  std::vector<double> x(n * width);
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t row = i < width / 2 ? 10 : 1500;
    x[row * width + i] = row == 10 ? -5 : -1;
  }
  std::vector<std::size_t> found(width);
  for (int round = 0; round < 30; ++round) {  // which thread takes which rows varies
    argmin(columns{x.data(), n, width}, found, {.threads = 4});
    for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(found[i], i < width / 2 ? 10U : 1500U) << round << ' ' << i;
  }
}

/// Narrow rows are read several at a time: no element is lost, and no lane beside them passes for one.
template <class T>
void check_extrema_of_narrow_columns(std::size_t n, std::size_t width) {
  const auto number = [](int value) { return static_cast<T>(static_cast<float>(value)); };
  std::vector<T> x(n * width), found(width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = number(3 + static_cast<int>(i % 7));
  for (std::size_t k = 0; k < width; ++k) x[k * 17 % n * width + k] = number(2);
  min(columns{x.data(), n, width}, found);
  for (const T each : found) ASSERT_EQ(static_cast<float>(each), 2) << n << ' ' << width;
  if constexpr (!std::is_unsigned_v<T>) {
    for (T& each : x) each = number(-static_cast<int>(static_cast<float>(each)));
    max(columns{x.data(), n, width}, found);
    for (const T each : found) ASSERT_EQ(static_cast<float>(each), -2) << n << ' ' << width;
  }
}

TEST(batches, extrema_of_narrow_columns) {
  for (const std::size_t n : {600U, 1029U, 5003U}) {
    for (const std::size_t width : {2U, 3U, 5U, 8U, 16U, 20U, 31U}) {
      check_extrema_of_narrow_columns<double>(n, width), check_extrema_of_narrow_columns<float>(n, width);
      check_extrema_of_narrow_columns<float16>(n, width), check_extrema_of_narrow_columns<bfloat16>(n, width);
      check_extrema_of_narrow_columns<float8_e4m3fn>(n, width);
      check_extrema_of_narrow_columns<float8_e5m2>(n, width);
      check_extrema_of_narrow_columns<std::int8_t>(n, width),
          check_extrema_of_narrow_columns<std::uint8_t>(n, width);
      check_extrema_of_narrow_columns<std::int16_t>(n, width),
          check_extrema_of_narrow_columns<std::uint16_t>(n, width);
      check_extrema_of_narrow_columns<std::int32_t>(n, width),
          check_extrema_of_narrow_columns<std::uint32_t>(n, width);
      check_extrema_of_narrow_columns<std::int64_t>(n, width),
          check_extrema_of_narrow_columns<std::uint64_t>(n, width);
    }
  }
}

}  // namespace
