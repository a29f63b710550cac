// Rows by keys in a GPU's memory: sums of the rows of a matrix by their keys have the bits of the CPU's groups, of
// every element type, width, order of keys and alignment, waited for and stream-ordered; hostile values, bad input.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_row_groups = needs_gpu;

enum class values { uniform, cancelling, special, tiny, ties };
enum class order { uniform, zipf, equal, sorted, sparse, outside };

double value_of(values kind, std::mt19937& random, double tiny) {
  const double x = std::ldexp(static_cast<double>(static_cast<int>(random())), -31);
  switch (kind) {
    case values::special:
      if (random() % 100 == 0) return random() % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
      return random() % 100 == 0 ? std::numeric_limits<double>::quiet_NaN() : x;
    case values::tiny:
      return x * tiny;
    case values::ties:
      return std::floor(4 * x) / 4 * (random() % 8 == 0 ? 2048 : 1);
    default:
      return x;
  }
}

/// A matrix of n rows, `apart` elements from each other, the first at element `offset`, and the keys of its rows.
template <class T>
struct keyed_rows {
  std::size_t n, columns, groups, apart, offset;
  std::vector<T> elements;
  std::vector<std::int32_t> keys;

  keyed_rows(std::size_t rows, std::size_t width, std::size_t count, order by, values kind, unsigned seed)
      : n(rows),
        columns(width),
        groups(count),
        apart(width + seed % 3 * (seed % 2 == 0 ? 1 : 16)),
        offset(seed % 4),
        elements(n * apart + offset + 1),
        keys(n) {
    std::mt19937 random(seed);
    const double tiny = sizeof(T) == 8 ? 0x1p-1060 : sizeof(T) == 4 ? 0x1p-140 : 0x1p-20;
    for (T& x : elements) {
      if constexpr (integer_element<T>) {
        x = static_cast<T>(static_cast<int>(random()) * (std::int64_t{1} << random() % 30));
      } else {
        x = static_cast<T>(static_cast<float>(value_of(kind, random, tiny)));
        if constexpr (sizeof(T) == 8) x = value_of(kind, random, tiny);
      }
    }
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(by, i, random);
    if (kind == values::cancelling) cancel();
  }

  [[nodiscard]] std::int32_t key_of(order by, std::size_t i, std::mt19937& random) const {
    const auto any = static_cast<std::int32_t>(random() % groups);
    switch (by) {
      case order::zipf:
        return any / static_cast<std::int32_t>(1 + random() % 40);
      case order::equal:
        return static_cast<std::int32_t>(groups / 2);
      case order::sorted:
        return static_cast<std::int32_t>(i * groups / n);
      case order::sparse:
        return any / 7 * 7;
      case order::outside:
        return random() % 5 == 0 ? (random() % 2 == 0 ? -1 : static_cast<std::int32_t>(groups)) : any;
      default:
        return any;
    }
  }
  /// Elements of the second half are those of the first with the other sign, but for some of the smallest numbers.
  void cancel() {
    if constexpr (!integer_element<T>) {
      for (std::size_t i = 0; i < n / 2; ++i) {
        keys[n / 2 + i] = keys[i];
        for (std::size_t j = 0; j < columns; ++j) {
          T& x = elements[offset + (n / 2 + i) * apart + j];
          x = static_cast<T>(-static_cast<float>(elements[offset + i * apart + j]));
          if constexpr (sizeof(T) == 8) x = -elements[offset + i * apart + j];
          if (i % 64 == 0) x = std::numeric_limits<T>::denorm_min();
        }
      }
    }
  }
};
template <>
void keyed_rows<float8_e4m3fn>::cancel() {}
template <>
void keyed_rows<float8_e5m2>::cancel() {}
template <>
void keyed_rows<float16>::cancel() {}
template <>
void keyed_rows<bfloat16>::cancel() {}

template <class R>
double as_number(R x) {
  if constexpr (floating_element<R> && sizeof(R) <= 2) return static_cast<double>(static_cast<float>(x));
  return static_cast<double>(x);
}

/// One reduction by the CPU and by the GPU, with results of type R that lie `gap` results apart between groups.
template <class R, class T>
void expect_rows_of_cpu(reduction what, const keyed_rows<T>& x, const device_vector<T>& elements,
                        const device_vector<std::int32_t>& keys, std::size_t gap, const std::string& of) {
  if (!is_tried()) return;
  const auto size = static_cast<std::ptrdiff_t>(sizeof(T)), of_result = static_cast<std::ptrdiff_t>(sizeof(R));
  const std::size_t pitch = x.columns + gap;
  const axis rows[] = {{x.n, static_cast<std::ptrdiff_t>(x.apart) * size}}, columns[] = {{x.columns, size}};
  const axis places[] = {{x.groups, static_cast<std::ptrdiff_t>(pitch) * of_result}, {x.columns, of_result}};
  std::vector<R> expected(x.groups * pitch + 1);
  const device_vector<R> found(expected.size()), ordered(expected.size());
  const auto grid = [&](const T* data) { return any_grid{data + x.offset, type_of<T>, columns, rows}; };
  const auto by = [&](const std::int32_t* data) {
    return any_keys{data, x.n, element_type::int32, 4, x.groups, true};
  };
  const auto results = [&](R* data) { return any_results{data, type_of<R>, places}; };
  reduce(what, grid(x.elements.data()), by(x.keys.data()), results(expected.data()));
  reduce(what, grid(elements.data()), by(keys.data()), results(found.data()));
  cuda::workspace workspace;
  cuda::detail::enqueue_groups(workspace, what, grid(elements.data()), grid(elements.data()), by(keys.data()),
                               results(ordered.data()), {});
  workspace.check();
  for (const bool waited : {true, false}) {
    const std::vector<R> copy = (waited ? found : ordered).read(expected.size());
    for (std::size_t i = 0; i < copy.size(); ++i) {
      ASSERT_EQ(std::memcmp(&copy[i], &expected[i], sizeof(R)), 0)
          << name_of(what) << " of " << of << (waited ? "" : ", stream-ordered") << ", group " << i / pitch
          << ", column " << i % pitch << ": " << as_number(copy[i]) << ", not " << as_number(expected[i]);
    }
  }
}

template <class T>
void expect_reductions_of_cpu(std::size_t n, std::size_t columns, std::size_t groups, order by, values kind,
                              unsigned seed) {
  const keyed_rows<T> x(n, columns, groups, by, kind, seed);
  const device_vector<T> elements(x.elements);
  const device_vector<std::int32_t> keys(x.keys);
  const std::string of = std::to_string(n) + " rows of " + std::to_string(columns) + " " +
                         std::string(name_of(type_of<T>)) + " in " + std::to_string(groups) + " groups, keys " +
                         std::to_string(static_cast<int>(by)) + ", values " +
                         std::to_string(static_cast<int>(kind)) + ", seed " + std::to_string(seed);
  using sums = std::conditional_t<integer_element<T>, std::int64_t, T>;
  using means = std::conditional_t<integer_element<T>, double, T>;
  const std::size_t gap = seed % 5 == 0 ? 1 : 0;
  if (!integer_element<T> || sizeof(T) < 8) expect_rows_of_cpu<sums>(reduction::sum, x, elements, keys, gap, of);
  const reduction rest[] = {reduction::mean,     reduction::nrm2,   reduction::asum,
                            reduction::variance, reduction::stddev, reduction::sum_of_squares};
  if (is_simulated()) return expect_rows_of_cpu<means>(rest[seed % 6], x, elements, keys, gap, of);
  for (const reduction what : rest) expect_rows_of_cpu<means>(what, x, elements, keys, gap, of);
}

/// Every width and order of keys of a type; on the simulator some of them.
template <class T>
void expect_all_of_cpu(unsigned seed) {
  for (const std::size_t columns : {1, 3, 8, 33, 64, 257}) {
    for (const order by :
         {order::uniform, order::zipf, order::equal, order::sorted, order::sparse, order::outside}) {
      ++seed;
      if (is_simulated() && seed % 7 != 0) continue;
      const std::size_t few = columns < 9 ? 700 : columns < 65 ? 200 : 40;
      const std::size_t n = is_simulated() ? few : 40000 / (columns / 8 + 1);
      const auto kind = static_cast<values>(seed / 7 % 5);
      for (const std::size_t groups : {n / 16 + 1, n / 200 + 1, 2 * n}) {
        expect_reductions_of_cpu<T>(n, columns, groups, by, kind, seed);
        if (testing::Test::HasFatalFailure()) return;
        if (is_simulated()) break;
      }
    }
  }
}

TEST_F(cuda_row_groups, of_floats_have_the_bits_of_the_cpu) { expect_all_of_cpu<float>(0); }
TEST_F(cuda_row_groups, of_doubles_have_the_bits_of_the_cpu) { expect_all_of_cpu<double>(3); }
TEST_F(cuda_row_groups, of_16_bits_have_the_bits_of_the_cpu) {
  expect_all_of_cpu<float16>(1);
  expect_all_of_cpu<bfloat16>(4);
}
TEST_F(cuda_row_groups, of_8_bits_have_the_bits_of_the_cpu) {
  expect_all_of_cpu<float8_e4m3fn>(2);
  expect_all_of_cpu<float8_e5m2>(5);
}
TEST_F(cuda_row_groups, of_integers_have_the_bits_of_the_cpu) {
  expect_all_of_cpu<std::int8_t>(0), expect_all_of_cpu<std::uint8_t>(1), expect_all_of_cpu<std::int16_t>(2);
  expect_all_of_cpu<std::uint16_t>(3), expect_all_of_cpu<std::int32_t>(4), expect_all_of_cpu<std::uint32_t>(5);
  expect_all_of_cpu<std::int64_t>(6), expect_all_of_cpu<std::uint64_t>(2);
}

/// Groups of several pieces, whose sums cancel, so that the second look is shared by all blocks or not.
TEST_F(cuda_row_groups, that_are_long_have_the_bits_of_the_cpu) {
  for (const values kind : {values::uniform, values::cancelling, values::special}) {
    expect_reductions_of_cpu<double>(at_most(30000, 3000), 3, 2, order::uniform, kind, 6);
    expect_reductions_of_cpu<float>(at_most(30000, 1500), 8, 1, order::equal, kind, 12);
    expect_reductions_of_cpu<bfloat16>(at_most(30000, 2500), 2, 1, order::equal, kind, 7);
    if (HasFatalFailure()) return;
  }
  if (is_simulated()) return;
  expect_reductions_of_cpu<double>(20000, 400, 3, order::uniform, values::cancelling, 1);  // > max_open_sums
  expect_reductions_of_cpu<float>(1 << 20, 33, 5, order::zipf, values::uniform, 2);
}

/// A row that is left out, or taken twice, changes sums of powers of two; also of columns behind the packs.
/// Squares of which nearly all are below half of the least double: together they decide the rounding of two others'
/// sum, so the bound has to count each of them.
TEST_F(cuda_row_groups, that_are_long_count_products_that_underflow) {
  if (is_simulated())
    GTEST_SKIP() << "needs a group of 2^19 rows, and pieces of as many multiprocessors as a GPU has";
  constexpr std::size_t n = std::size_t{1} << 19, columns = 2;
  std::vector<double> column(n, 0x1.6a09e667f3bccp-538);
  std::size_t row = 0;
  column[row++] = 0x1p-485;
  constexpr std::uint64_t rest = (std::uint64_t{1} << 51) - 200000;  // times 2^-1074, by squares
  for (int bit = 0; bit < 51; ++bit) {
    if ((rest >> bit & 1) == 0) continue;
    for (int i = 0; i <= bit % 2; ++i) column[row++] = std::ldexp(1.0, (bit - 1074 - bit % 2) / 2);
  }
  EXPECT_EQ(sum_of_squares(column), 0x1.0000000000001p-970);
  std::vector<double> a(n * columns);
  for (std::size_t i = 0; i < n; ++i) a[2 * i] = a[2 * i + 1] = column[i];
  const device_vector<double> x(a), out(columns);
  const device_vector<std::int32_t> keys(std::vector<std::int32_t>(n, 0));
  const axis rows[] = {{n, 16}}, of_columns[] = {{columns, 8}}, places[] = {{1, 16}, {columns, 8}};
  const any_keys by{keys.data(), n, element_type::int32, 4, 1};
  reduce(reduction::sum_of_squares, any_grid{x.data(), element_type::float64, of_columns, rows}, by,
         any_results{out.data(), element_type::float64, places});
  expect_same(out, {0x1.0000000000001p-970, 0x1.0000000000001p-970}, "products that underflow");
}

TEST_F(cuda_row_groups, take_every_row_once) {
  for (const std::size_t columns : {2, 9, 68}) {
    const std::size_t n = at_most(50000, 1200), groups = n / 150;
    std::vector<double> a(n * columns);
    std::vector<std::int64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::int64_t>(i * i % 7 % 3 == 0 ? 0 : i * 31 % groups);
      for (std::size_t j = 0; j < columns; ++j) a[i * columns + j] = static_cast<double>((i << 20) + j + 1);
    }
    std::vector<double> expected(groups * columns);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        expected[static_cast<std::size_t>(keys[i]) * columns + j] += a[i * columns + j];
      }
    }
    const device_vector<double> x(a), out(expected.size());
    const device_vector<std::int64_t> k(keys);
    const auto pitch = static_cast<std::ptrdiff_t>(8 * columns);
    const axis rows[] = {{n, pitch}}, of_columns[] = {{columns, 8}}, places[] = {{groups, pitch}, {columns, 8}};
    const any_keys by{k.data(), n, element_type::int64, 8, groups};
    reduce(reduction::sum, any_grid{x.data(), element_type::float64, of_columns, rows}, by,
           any_results{out.data(), element_type::float64, places});
    expect_same(out, expected, "integers in doubles");
  }
}

/// A matrix of 3 columns, its keys, and a call on a workspace or waited for.
struct small_matrix {
  static constexpr std::size_t columns = 3;
  device_vector<float> x, out;
  device_vector<std::int32_t> keys;
  std::size_t n, groups;

  small_matrix(const std::vector<float>& elements, const std::vector<std::int32_t>& of_rows, std::size_t count)
      : x(elements),
        out(std::vector<float>(count * columns + 1, 7.0F)),
        keys(of_rows),
        n(of_rows.size()),
        groups(count) {}
  void run(cuda::workspace* on, bool skips) const {
    const axis rows[] = {{n, 12}}, of_columns[] = {{columns, 4}}, places[] = {{groups, 12}, {columns, 4}};
    const any_grid grid{x.data(), element_type::float32, of_columns, rows};
    const any_keys by{keys.data(), n, element_type::int32, 4, groups, skips};
    const any_results to{out.data(), element_type::float32, places};
    if (on == nullptr) return reduce(reduction::sum, grid, by, to);
    cuda::detail::enqueue_groups(*on, reduction::sum, grid, grid, by, to, {});
  }
};

TEST_F(cuda_row_groups, with_bad_input_are_refused_before_anything_is_written) {
  const std::vector<float> a = uniform<float>(60, 1);
  std::vector<std::int32_t> keys(20);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i % 4);
  keys[11] = -1, keys[15] = 4;
  const small_matrix bad(a, keys, 4);
  expect_error(errc::bad_option, "key 11 is -1", [&] { bad.run(nullptr, false); });
  expect_same(bad.out, std::vector<float>(13, 7.0F), "refused");
  cuda::workspace workspace;
  bad.run(&workspace, false);
  expect_error(errc::bad_option, "key 11", [&] { workspace.check(); });
  workspace.check();
  expect_error(errc::bad_option, "key 0", [&] { small_matrix(a, keys, 0).run(nullptr, false); });
  const small_matrix nothing({}, {}, 2);
  nothing.run(nullptr, false);
  expect_same(nothing.out, {0, 0, 0, 0, 0, 0, 7}, "sums of no rows");
}

TEST_F(cuda_row_groups, are_captured_in_a_graph_after_a_first_call) {
  const std::size_t n = at_most(20000, 300), groups = n / 9;
  std::vector<std::int32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i * 7 % groups);
  const small_matrix device(uniform<float>(3 * n, 2), keys, groups);
  const small_matrix again(uniform<float>(3 * n, 2), keys, groups);
  const test_stream stream;
  cuda::workspace workspace(stream.handle());
  device.run(&workspace, false);
  const captured_graph graph(stream.handle(), [&] { device.run(&workspace, false); });
  for (int i = 0; i < 2; ++i) {
    std::reverse(keys.begin(), keys.end());
    ASSERT_EQ(cudaMemcpy(device.keys.data(), keys.data(), 4 * n, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(again.keys.data(), keys.data(), 4 * n, cudaMemcpyHostToDevice), cudaSuccess);
    graph.launch();
    again.run(nullptr, false);
    expect_same(device.out, again.out.read(3 * groups + 1), "graph");
  }
}

}  // namespace
