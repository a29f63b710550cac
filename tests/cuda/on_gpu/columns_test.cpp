// Columns in device memory: of all of the oracle's generators, many short ones of every element type, and products
// that float does not hold.
#include "cuda/on_gpu/row_matrices.hpp"

namespace {

using namespace on_gpu;

class cuda_columns : public needs_gpu {};

template <class T>
void expect_columns(std::size_t most, unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(30)); ++i) {
    const unsigned seed = 11 * i + salt;
    oracle::rng random(seed);
    const matrix rows = generated<T>(random, 1 + random.below(most), random.below(250), 0);
    expect_any(transposed(rows, sizeof(T)), seed, "columns");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_columns, of_a_transpose_equal_vectors) {
  for (const std::size_t most : {20, 70}) {
    expect_columns<float>(most, 400);
    expect_columns<double>(most, 500);
  }
}

/// So many columns that each thread has some alone, of few rows: each column is one of these rows.
template <class Element>
void expect_short_columns(unsigned seed) {
  oracle::rng random(seed);
  int multiprocessors = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  constexpr std::size_t kinds = 97, size = sizeof(Element);
  const std::size_t count = 1024 * static_cast<std::size_t>(multiprocessors) + random.below(100),
                    n = 1 + random.below(at_most(30, 4));
  const matrix floats = seed % 2 == 0 ? generated<float>(random, kinds, n, 0) : near_ties(random, kinds, n, 8);
  if (floats.n > 128) return;  // some kinds of data need more elements
  const matrix rows = narrowed<Element>(floats, 1000);
  matrix columns = rows;
  columns.count = count;
  columns.a.resize(count * rows.n * size), columns.b.resize(columns.a.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::size_t from = (i * 31 % kinds * rows.n + k) * size, to = (k * count + i) * size;
      std::memcpy(&columns.a[to], &rows.a[from], size), std::memcpy(&columns.b[to], &rows.b[from], size);
    }
  }
  columns.next_a = columns.next_b = size,
  columns.stride_a = columns.stride_b = static_cast<std::ptrdiff_t>(count * size);
  const bool whole = std::is_integral_v<Element>;
  const reduction sums[] = {reduction::sum, reduction::nrm2, reduction::asum};
  expect_rows(columns, sums[seed % 3], whole || seed % 2 == 0 ? element_type::float64 : type_of<Element>, seed % 4,
              "short columns");
  expect_rows(columns, reduction::dot, whole ? element_type::float64 : element_type::float32, 0, "short columns");
  expect_rows(columns, reduction::variance, element_type::float32, seed % 3, "short columns");
  expect_rows(columns, reduction::max, type_of<Element>, 0, "short columns");
  expect_rows(columns, reduction::argmin, element_type::int64, seed % 2, "short columns");
  columns.swapped = true;
  expect_rows(columns, reduction::min, type_of<Element>, 0, "short columns");
}

TEST_F(cuda_columns, that_are_many_and_short_equal_vectors) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(at_most(6, 1)); ++seed) {
    expect_short_columns<float>(seed);
    expect_short_columns<double>(seed + 10);
    expect_short_columns<bfloat16>(seed + 20);
    expect_short_columns<std::int8_t>(seed + 30);
    expect_short_columns<float8_e4m3fn>(seed + 80);
    if (is_simulated()) continue;
    expect_short_columns<float16>(seed + 40);
    expect_short_columns<float8_e5m2>(seed + 90);
    expect_short_columns<std::uint16_t>(seed + 50);
    expect_short_columns<std::int32_t>(seed + 60);
    expect_short_columns<std::int64_t>(seed + 70);
    if (HasFatalFailure()) return;
  }
}

/// Products of bfloat16 below the least float, which float rounds: 3 * 2^-150 to 2^-148.
TEST_F(cuda_columns, of_products_that_float_loses_equal_vectors) {
  constexpr std::size_t count = 40, n = 96;
  std::vector<bfloat16> a(count * n), b(count * n);
  for (std::size_t i = 0; i < count * n; ++i) {
    const auto odd = static_cast<float>(1 + 2 * (i % 3)), sign = i % 7 < 5 ? 1.F : -1.F;
    a[i] = static_cast<bfloat16>(sign * odd * 0x1p-75F), b[i] = static_cast<bfloat16>(3 * 0x1p-75F);
    if (i / n % 4 == 3 && i % 2 == 0) a[i] = static_cast<bfloat16>(1.F), b[i] = static_cast<bfloat16>(sign);
  }
  constexpr std::ptrdiff_t size = 2, next = size * static_cast<std::ptrdiff_t>(n);
  const matrix rows{
      type_of<bfloat16>, type_of<bfloat16>, count, n, bytes_of(a), bytes_of(b), next, next, size, size};
  for (const element_type type : {element_type::float32, element_type::bfloat16, element_type::float64}) {
    expect_rows(rows, reduction::dot, type, 0, "products that float loses");
    expect_rows(transposed(rows, size), reduction::dot, type, 0, "products that float loses");
  }
}

/// Columns of floats of 16 bits beside those of 32: each has the bits of the vectors on the CPU.
template <class Element>
void expect_mixed_columns(oracle::rng& random, std::size_t n, std::size_t count, std::size_t skew) {
  std::vector<Element> a(skew + n * count);
  std::vector<float> b(n * count);
  const bool cancels = random.coin(), is_wide = random.coin();
  for (std::size_t i = 0; i < n * count; ++i) {
    const double half = random.unit() - 0.5,
                 other = std::ldexp(random.unit(), is_wide ? random.between(-140, 60) : 0);
    a[skew + i] = core::from_word<Element>(core::round_finite(core::format<Element>::number, half));
    b[i] = static_cast<float>(other);
    if (!cancels || i / count % 2 == 0 || i < count) continue;  // but for the first row, and what rounding leaves
    a[skew + i] = a[skew + i - count];
    b[i] = -b[i - count];
  }
  const device_vector<Element> on_a(a);
  const device_vector<float> on_b(b);
  for (const element_type result : {element_type::float32, type_of<Element>}) {
    const device_vector<unsigned char> out(count * size_of(result));
    const std::ptrdiff_t size = sizeof(Element), row = static_cast<std::ptrdiff_t>(count);
    const axis columns[] = {{count, size}}, elements[] = {{n, row * size}};
    const axis other_columns[] = {{count, 4}}, other_elements[] = {{n, row * 4}};
    const axis places[] = {{count, static_cast<std::ptrdiff_t>(size_of(result))}};
    cuda::workspace workspace;
    cuda::detail::enqueue_grid(workspace, reduction::dot, {on_a.data() + skew, type_of<Element>, columns, elements},
                               {on_b.data(), element_type::float32, other_columns, other_elements},
                               {out.data(), result, places, false}, {}, 0);
    workspace.check();
    const std::vector<unsigned char> found = out.read(count * size_of(result));
    for (std::size_t j = 0; j < count; ++j) {
      std::vector<float> x(n), y(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(a[skew + i * count + j]), y[i] = b[i * count + j];
      }
      const std::uint64_t right =
          result == element_type::float32 ? core::to_word(dot<float>(x, y)) : core::to_word(dot<Element>(x, y));
      std::uint64_t word = 0;
      std::memcpy(&word, &found[j * size_of(result)], size_of(result));
      ASSERT_EQ(word, right) << name_of(type_of<Element>) << ", column " << j << " of " << n << " x " << count;
    }
  }
}

TEST_F(cuda_columns, of_16_bits_beside_floats_equal_vectors) {
  oracle::rng random(77);
  for (const std::size_t n : {1, 2, 9, 64, 300, 2000}) {
    for (const std::size_t count : {1, 7, 8, 64, 129}) {
      if (n * count > at_most(300000, 6000)) continue;
      expect_mixed_columns<float16>(random, n, count, random.below(3));
      expect_mixed_columns<bfloat16>(random, n, count, random.below(3));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
