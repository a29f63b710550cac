// The C++ interface of rows, columns and segments: values, lengths, errors, and that a failed call writes nothing.
// The table of tests (tests/table) compares results with the oracle, property/shapes_test.cpp arrays of any
// dimensions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;

const std::vector<double> matrix = {1, 2, 3, 4, 5, 6};  // 2 rows of 3

TEST(batches, rows) {
  std::vector<double> out(2);
  sum(rows{matrix.data(), 2, 3}, out);
  EXPECT_EQ(out, (std::vector<double>{6, 15}));
  mean(rows{matrix.data(), 2, 3}, out);
  EXPECT_EQ(out, (std::vector<double>{2, 5}));
  sum(rows{matrix.data(), 2, 2, 3}, out);
  EXPECT_EQ(out, (std::vector<double>{3, 9}));
  sum(rows{matrix.data() + 5, 2, 3, -3, -1}, out);
  EXPECT_EQ(out, (std::vector<double>{15, 6}));
  sum(rows{matrix.data(), 2, 4, 2}, out);  // rows that overlap
  EXPECT_EQ(out, (std::vector<double>{10, 18}));
}

TEST(batches, columns) {
  std::vector<double> out(3);
  sum(columns{matrix.data(), 2, 3}, out);
  EXPECT_EQ(out, (std::vector<double>{5, 7, 9}));
  variance(columns{matrix.data(), 2, 3}, out, 1);
  EXPECT_EQ(out, (std::vector<double>{4.5, 4.5, 4.5}));
  nrm2(columns{matrix.data(), 2, 1, 3}, std::span(out).first(1));
  EXPECT_EQ(out[0], std::sqrt(17.0));
}

/// A row's dot product with a shared vector has the bits of the call on the two, whatever is in the other rows.
template <class T, class R>
void check_rows_by_vector(std::size_t n) {
  constexpr std::size_t count = 23;
  const std::size_t step = n + 3;
  std::vector<T> x(count * step), y(n);
  std::uint64_t state = n;
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<T>(static_cast<float>(static_cast<std::int64_t>(state) >> 32) * 0x1p-28F);
  };
  for (T& each : x) each = next();
  for (T& each : y) each = next();
  const auto scale = [&](std::size_t row, float by) {
    for (std::size_t i = 0; i < n; ++i)
      x[row * step + i] = static_cast<T>(static_cast<float>(x[row * step + i]) * by);
  };
  scale(5, 0x1p-140F), scale(9, 0x1p100F), scale(13, 0);
  x[17 * step + n / 2] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i + 1 < n; i += 2) {  // cancels
    x[21 * step + i + 1] = static_cast<T>(-static_cast<float>(x[21 * step + i])), y[i + 1] = y[i];
  }
  for (const int threads : {1, 2}) {
    std::vector<R> out(count), swapped(count);
    const auto stride = static_cast<std::ptrdiff_t>(step);
    dot(rows{x.data(), count, n, stride}, repeated{y.data(), n}, out, {.threads = threads});
    dot(repeated{y.data(), n}, rows{x.data(), count, n, stride}, swapped, {.threads = threads});
    for (std::size_t k = 0; k < count; ++k) {
      R expected{};
      dot(rows{x.data() + k * step, 1, n}, rows{y.data(), 1, n}, std::span(&expected, 1));
      ASSERT_EQ(std::memcmp(&out[k], &expected, sizeof(R)), 0) << n << ' ' << k;
      ASSERT_EQ(std::memcmp(&swapped[k], &expected, sizeof(R)), 0) << n << ' ' << k;
    }
  }
}

TEST(batches, rows_by_one_vector) {
  for (const std::size_t n : {1U, 15U, 16U, 48U, 49U, 100U, 191U, 193U, 208U, 1000U, 2048U, 2049U, 5000U}) {
    check_rows_by_vector<float, float>(n), check_rows_by_vector<float, double>(n);
    check_rows_by_vector<double, double>(n), check_rows_by_vector<double, float>(n);
    check_rows_by_vector<float16, float>(n), check_rows_by_vector<bfloat16, float>(n);
    check_rows_by_vector<float16, float16>(n);
    check_rows_by_vector<float8_e5m2, float>(n), check_rows_by_vector<float8_e4m3fn, float8_e4m3fn>(n);
  }
}

TEST(batches, matrix_times_vector) {
  const std::vector<float> x = {1, 0, -1};
  std::vector<double> y(2);
  dot(rows{matrix.data(), 2, 3}, repeated{x.data(), 3}, y);
  EXPECT_EQ(y, (std::vector<double>{-2, -2}));
  dot(repeated{x.data(), 3}, rows{matrix.data(), 2, 3}, y);
  EXPECT_EQ(y, (std::vector<double>{-2, -2}));
  const std::vector<double> z = {1, 10};
  std::vector<double> transposed(3);
  dot(columns{matrix.data(), 2, 3}, repeated{z.data(), 2}, transposed);
  EXPECT_EQ(transposed, (std::vector<double>{41, 52, 63}));
}

TEST(batches, segments) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<int> offsets = {0, 2, 2, 5};
  std::vector<double> out(3);
  sum(segments{x, offsets}, out);
  EXPECT_EQ(out, (std::vector<double>{3, 0, 12}));
  dot(segments{x, offsets}, x, out);
  EXPECT_EQ(out, (std::vector<double>{5, 0, 50}));
  std::vector<std::int64_t> index(1);
  argmax(segments{x, std::vector<std::uint64_t>{1, 4}}, index);
  EXPECT_EQ(index[0], 2);  // within the segment
  sum(segments{strided{x.data(), 3, 2}, std::vector<std::int64_t>{0, 3}}, std::span(out).first(1));
  EXPECT_EQ(out[0], 9);
  sum(segments{x, std::vector<int>{}}, std::span(out).first(0));
  sum(segments{x, std::vector<int>{3}}, std::span(out).first(0));
}

TEST(batches, result_types) {
  const std::vector<std::int8_t> x = {100, 100, -128, -128};
  std::vector<std::int64_t> whole(2);
  sum(rows{x.data(), 2, 2}, whole);
  EXPECT_EQ(whole, (std::vector<std::int64_t>{200, -256}));
  std::vector<float> narrow(2);
  mean(rows{x.data(), 2, 2}, narrow);
  EXPECT_EQ(narrow, (std::vector<float>{100, -128}));
  std::vector<std::int8_t> least(2);
  min(columns{x.data(), 2, 2}, least);
  EXPECT_EQ(least, (std::vector<std::int8_t>{-128, -128}));
  std::vector<std::size_t> index(2);
  argmax(rows{x.data(), 2, 2}, index);
  EXPECT_EQ(index, (std::vector<std::size_t>{0, 0}));
}

TEST(batches, of_nothing) {
  std::vector<double> out = {7, 7};
  sum(rows<double>{nullptr, 2, 0}, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  mean(columns<double>{nullptr, 0, 2}, out);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  min(rows<double>{nullptr, 0, 0}, std::span<double>());  // no vector is empty
  sum(rows<double>{nullptr, 0, 5}, std::span<double>());
}

template <class Action>
void expect_untouched(errc code, const std::string& phrase, Action action) {
  std::vector<double> out = {7, 7};
  expect_error(code, phrase, [&] { action(out); });
  EXPECT_EQ(out, (std::vector<double>{7, 7}));
}

TEST(batches, errors) {
  using results = std::vector<double>;
  expect_untouched(errc::size_mismatch, "(3,) and (2,)", [](results& out) {
    sum(columns{matrix.data(), 2, 3}, out);
  });
  expect_untouched(errc::size_mismatch, "(3,) and (2,)", [](results& out) {
    dot(rows{matrix.data(), 2, 3}, repeated{matrix.data(), 2}, out);
  });
  expect_untouched(errc::size_mismatch, "(2,) and (3,)", [](results& out) {
    dot(rows{matrix.data(), 2, 2}, rows{matrix.data(), 3, 2}, out);
  });
  expect_untouched(errc::null_pointer, "null pointer for 2 vectors of 3 elements", [](results& out) {
    sum(rows<double>{nullptr, 2, 3}, out);
  });
  expect_error(errc::null_pointer, "null pointer for 2 results", [] {
    sum(rows{matrix.data(), 2, 3}, std::span<double>(static_cast<double*>(nullptr), 2));
  });
  expect_untouched(errc::empty_input, "empty", [](results& out) { min(rows{matrix.data(), 2, 0}, out); });
  expect_untouched(errc::bad_option, "ddof is -1", [](results& out) {
    variance(rows{matrix.data(), 2, 3}, out, -1);
  });
  expect_untouched(errc::bad_option, "mode fast has no variance", [](results& out) {
    variance(rows{matrix.data(), 2, 3}, out, 0, {.mode = mode::fast});
  });
  expect_untouched(errc::bad_option, "threads is -1", [](results& out) {
    sum(rows{matrix.data(), 2, 3}, out, {.threads = -1});
  });
  expect_untouched(errc::no_device, "this program has no CUDA engine", [](results& out) {
    sum(rows{matrix.data(), 2, 3}, out, {.device = device::cuda});
  });
  expect_untouched(errc::bad_option, "exceeds the address space", [](results& out) {
    sum(rows{matrix.data(), 2, std::size_t{1} << 62, 1}, out);
  });
  expect_untouched(errc::bad_option, "int64", [](results& out) {
    const detail::line_grid lines = detail::to_lines(rows{matrix.data(), 2, 3});
    reduce(reduction::argmax, lines.view(), detail::result_line(out).view());
  });
}

TEST(batches, errors_of_segments) {
  using offsets = std::vector<std::int64_t>;
  const auto refused = [](errc code, const std::string& phrase, const offsets& given) {
    expect_untouched(code, phrase, [&](std::vector<double>& out) { sum(segments{matrix, given}, out); });
  };
  refused(errc::bad_option, "offset 1 is 7, past the end of 6 elements", {0, 7, 7});
  refused(errc::bad_option, "offset 2 is 1, below the one before it, 2", {0, 2, 1});
  refused(errc::bad_option, "offset 0 is -1", {-1, 2, 3});
  refused(errc::size_mismatch, "numbers of segments and of results", {0, 1});
  expect_untouched(errc::empty_input, "segment 1 is empty", [](std::vector<double>& out) {
    max(segments{matrix, offsets{0, 6, 6}}, out);
  });
  expect_untouched(errc::size_mismatch, "differ in length", [](std::vector<double>& out) {
    dot(segments{matrix, offsets{0, 6, 6}}, std::vector<double>(5), out);
  });
  expect_error(errc::bad_option, "offset 1 is -1", [] {
    std::vector<double> out(1);
    sum(segments{matrix, std::vector<std::int8_t>{0, -1}}, out);
  });
  expect_error(errc::bad_option, "offsets are float64; use integers", [] {
    const double given[] = {0, 1};
    std::vector<double> out(1);
    reduce(reduction::sum, to_any(matrix), any_offsets{given, 1, element_type::float64, 8},
           detail::result_line(out).view());
  });
}

/// A result that its integer type does not hold leaves all results unwritten, and is named.
TEST(batches, overflow) {
  const std::vector<std::int64_t> x = {1, 2, std::numeric_limits<std::int64_t>::max(), 1};
  std::vector<std::int64_t> out = {7, 7};
  expect_error(errc::overflow, "result 1 does not fit into int64", [&] { sum(rows{x.data(), 2, 2}, out); });
  EXPECT_EQ(out, (std::vector<std::int64_t>{7, 7}));
  std::vector<std::uint64_t> without_sign = {7, 7};
  const std::vector<std::int8_t> y = {1, 2, -1, -2};
  expect_error(errc::overflow, "result 1 does not fit into uint64", [&] {
    sum(rows{y.data(), 2, 2}, without_sign);
  });
  EXPECT_EQ(without_sign[0], 7u);
}

/// The index counts along the axes as they were passed, whatever the order in which they are computed.
TEST(batches, overflow_is_named_in_the_order_of_the_caller) {
  std::vector<std::int64_t> x(24, 1);  // 3 by 2 results of 4 elements, the first axis nearest
  const axis results[] = {{3, 8}, {2, 24}}, elements[] = {{4, 48}}, places[] = {{3, 16}, {2, 8}};
  for (std::size_t i = 0; i < 4; ++i) x[6 * i + 3] = x[6 * i + 2] = std::int64_t{1} << 62;  // of (0, 1) and (2, 0)
  std::vector<std::int64_t> out(6, 7);
  expect_error(errc::overflow, "result 1 does not fit", [&] {
    reduce(reduction::sum, any_grid{x.data(), element_type::int64, results, elements},
           any_results{out.data(), element_type::int64, places});
  });
  EXPECT_EQ(out, std::vector<std::int64_t>(6, 7));
}

/// More results than are kept until all are known to fit: the second pass stores them.
TEST(batches, many_integer_results) {
  const std::size_t count = 200'000;
  std::vector<std::int64_t> x(2 * count), out(count, 7);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i);
  sum(rows{x.data(), count, 2}, out);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], x[2 * i] + x[2 * i + 1]);
  x.back() = std::numeric_limits<std::int64_t>::max();
  std::ranges::fill(out, 7);
  expect_error(errc::overflow, "result 199999", [&] { sum(rows{x.data(), count, 2}, out); });
  EXPECT_EQ(std::ranges::count(out, 7), static_cast<std::ptrdiff_t>(count));
}

TEST(batches, results_between_the_elements_of_rows) {
  std::vector<double> both = {1, 2, 7, 3, 4, 7, 5, 6, 7};
  const axis three[] = {{3, 24}}, two[] = {{2, 8}}, all[] = {{3, 8}};
  const any_grid x{both.data(), element_type::float64, three, two};
  reduce(reduction::sum, x, {&both[2], element_type::float64, three});
  EXPECT_EQ(both, (std::vector<double>{1, 2, 3, 3, 4, 7, 5, 6, 11}));
  for (const std::size_t first : {0, 1, 3}) {
    expect_error(errc::bad_option, "results lie within x", [&] {
      reduce(reduction::sum, x, {&both[first], element_type::float64, three});
    });
  }
  expect_error(errc::bad_option, "results lie within x", [&] {
    reduce(reduction::sum, x, {&both[0], element_type::float64, all});
  });
  const axis same_place[] = {{3, 0}}, interleaved[] = {{3, 4}};
  for (const auto axes : {std::span(same_place), std::span(interleaved)}) {
    std::vector<double> out(3);
    expect_error(errc::bad_option, "overwrite each other", [&] {
      reduce(reduction::sum, x, {out.data(), element_type::float64, axes});
    });
  }
}

TEST(batches, results_in_the_offsets) {
  std::vector<std::int64_t> offsets = {0, 3, 6};
  expect_error(errc::bad_option, "within the offsets", [&] {
    sum(segments{std::vector<int>{1, 2, 3, 4, 5, 6}, offsets}, std::span(offsets).first(2));
  });
}

/// Long rows, short rows, columns, few long columns, extrema of columns, integers in two passes.
TEST(batches, cancelled_and_counted) {
  const std::vector<float> x(1 << 22, 1);
  const std::vector<std::int64_t> integers(1 << 20, 1);
  std::vector<float> out(1 << 20);
  std::vector<std::int64_t> sums(1 << 19);
  const auto first = [&](std::size_t count) { return std::span(out).first(count); };
  const std::vector<std::function<std::size_t(const options&)>> calls = {
      [&](const options& o) {
        return sum(rows{x.data(), 2, 1 << 21}, first(2), o), x.size();
      },
      [&](const options& o) {
        return sum(rows{x.data(), 1 << 10, 1 << 12}, first(1 << 10), o), x.size();
      },
      [&](const options& o) {
        return sum(rows{x.data(), 1 << 20, 4}, out, o), x.size();
      },
      [&](const options& o) {
        return sum(columns{x.data(), 1 << 12, 1 << 10}, first(1 << 10), o), x.size();
      },
      [&](const options& o) {
        return sum(columns{x.data(), 1 << 20, 4}, first(4), o), x.size();
      },
      [&](const options& o) {
        return max(columns{x.data(), 1 << 12, 1 << 10}, first(1 << 10), o), x.size();
      },
      [&](const options& o) {
        return sum(rows{integers.data(), 1 << 19, 2}, sums, o), integers.size();
      }};
  for (const auto& call : calls) {
    for (const int threads : {1, 3}) {
      monitor watched;
      const options options{.threads = threads, .monitor = &watched};
      EXPECT_EQ(call(options), watched.done);
      watched.cancel = true;
      expect_error(errc::cancelled, "cancelled", [&] { call(options); });
    }
  }
}

}  // namespace
