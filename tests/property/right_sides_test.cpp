// Rows times few vectors on a CPU: every product has the bits of the dot product of the row and the vector, of
// every element type, number of vectors, layout and number of threads. (In a GPU's memory:
// cuda/on_gpu/right_sides_test.cpp.)
#include <gtest/gtest.h>

#include <cstring>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"

namespace {

using namespace exactdot;

/// Bytes of `rows` rows, and of `vectors` vectors, of n elements each. Strides in bytes.
struct product_case {
  element_type type_a, type_b, result;
  std::size_t rows, vectors, n;
  std::vector<unsigned char> a, b;
  std::ptrdiff_t next_row, stride_a, next_vector, stride_b;
  bool rows_first = true, swapped = false;
};

void expect_products(const product_case& x, int threads, unsigned seed) {
  const std::size_t size = size_of(x.result);
  const auto step = static_cast<std::ptrdiff_t>(size);
  const axis kept_a[]{{x.rows, x.next_row}, {x.vectors, 0}}, kept_b[]{{x.rows, 0}, {x.vectors, x.next_vector}};
  const axis in_a[]{{x.n, x.stride_a}}, in_b[]{{x.n, x.stride_b}};
  const axis places[]{{x.rows, step}, {x.vectors, static_cast<std::ptrdiff_t>(x.rows) * step}};
  const any_grid a{x.a.data(), x.type_a, kept_a, in_a, x.swapped && size_of(x.type_a) > 1};
  const any_grid b{x.b.data(), x.type_b, kept_b, in_b, x.swapped && size_of(x.type_b) > 1};
  std::vector<unsigned char> found(x.rows * x.vectors * size, 0x5a), expected = found;
  const any_results to{found.data(), x.result, places};
  const options by{.device = device::cpu, .threads = threads};
  x.rows_first ? dot(a, b, to, by) : dot(b, a, to, by);
  for (std::size_t v = 0; v < x.vectors; ++v) {
    for (std::size_t i = 0; i < x.rows; ++i) {
      const any_vector row{x.a.data() + static_cast<std::ptrdiff_t>(i) * x.next_row, x.n, x.type_a, x.stride_a,
                           a.swapped};
      const any_vector by_vector{x.b.data() + static_cast<std::ptrdiff_t>(v) * x.next_vector, x.n, x.type_b,
                                 x.stride_b, b.swapped};
      const any_scalar right = dot(row, by_vector, x.result, options{.device = device::cpu});
      std::memcpy(&expected[(v * x.rows + i) * size], &right.bits, size);
    }
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::size_t product = k / size;
    ASSERT_EQ(found[k], expected[k]) << "row " << product % x.rows << " of " << x.rows << " times vector "
                                     << product / x.rows << " of " << x.vectors << ", " << x.n << " elements, "
                                     << name_of(x.type_a) << " and " << name_of(x.type_b) << " to "
                                     << name_of(x.result) << ", " << threads << " threads, seed " << seed;
  }
}

constexpr std::size_t numbers_of_vectors[] = {2, 8, 16, 3, 17, 1, 40};

/// Sets the layout of elements that follow each other: vectors beside each other, gaps between rows, or neither.
void set_layout(product_case& x, unsigned seed) {
  const auto a = static_cast<std::ptrdiff_t>(size_of(x.type_a)), b = static_cast<std::ptrdiff_t>(size_of(x.type_b));
  const auto n = static_cast<std::ptrdiff_t>(x.n), vectors = static_cast<std::ptrdiff_t>(x.vectors);
  x.next_row = n * a, x.stride_a = a, x.next_vector = n * b, x.stride_b = b;
  if (seed % 3 == 1) x.next_vector = b, x.stride_b = vectors * b;
  if (seed % 5 == 2) x.next_row = a, x.stride_a = static_cast<std::ptrdiff_t>(x.rows) * a;
  if (seed % 7 == 3 && seed % 5 != 2) x.next_row = a * (n - 1);  // rows that overlap
  x.rows_first = seed % 2 == 0;
}

template <class T>
void expect_generated(unsigned salt) {
  const auto all = oracle::generators<T>();
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(40)); ++i) {
    const unsigned seed = 3 * i + salt;
    oracle::rng random(seed);
    product_case x{};
    x.type_a = x.type_b = type_of<T>, x.result = i % 3 == 2 ? element_type::float32 : type_of<T>;
    x.rows = 1 + random.below(i % 4 == 0 ? 300 : 30),
    x.vectors = numbers_of_vectors[i % std::size(numbers_of_vectors)];
    const std::size_t wanted = 2 + random.below(i % 3 == 0 ? 3000 : 200);
    std::vector<T> a, b;
    x.n = wanted;
    for (std::size_t row = 0; row < std::max(x.rows, x.vectors); ++row) {
      const auto made = all[(i + row) % all.size()].make(random, wanted);
      for (std::size_t k = 0; k < wanted; ++k) {
        a.push_back(k < made.size() ? made.a[k] : T(0)), b.push_back(k < made.size() ? made.b[k] : T(1));
      }
    }
    x.a.resize(a.size() * sizeof(T)), x.b.resize(b.size() * sizeof(T));
    std::memcpy(x.a.data(), a.data(), x.a.size()), std::memcpy(x.b.data(), b.data(), x.b.size());
    set_layout(x, seed);
    expect_products(x, 1 + static_cast<int>(i % 3), seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(right_sides, of_all_kinds_of_data_have_the_bits_of_dot_products) {
  expect_generated<float>(0);
  expect_generated<double>(1);
}

/// Any bits, and bits of numbers of one size; each type with itself, and some with others.
TEST(right_sides, of_every_element_type_have_the_bits_of_dot_products) {
  using enum element_type;
  constexpr element_type pairs[][2] = {{float16, float16},
                                       {bfloat16, bfloat16},
                                       {float32, float32},
                                       {float64, float64},
                                       {float8_e4m3fn, float8_e4m3fn},
                                       {float16, bfloat16},
                                       {float32, bfloat16},
                                       {float32, float64},
                                       {int8, int8},
                                       {int16, uint16},
                                       {int32, int32},
                                       {int64, int64},
                                       {uint8, uint8},
                                       {float8_e5m2, float16}};
  unsigned seed = 0;
  for (const auto& [first, second] : pairs) {
    for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(12)); ++i) {
      oracle::rng random(++seed);
      product_case x{};
      x.type_a = first, x.type_b = second, x.swapped = seed % 11 == 5;
      const bool is_small = is_integer(first) && size_of(first) < 4;
      x.result = is_small && seed % 2 == 0            ? int64
                 : is_integer(first) || seed % 3 == 0 ? float64
                 : seed % 3 == 1                      ? float32
                                                      : first;
      x.rows = 1 + random.below(60), x.vectors = numbers_of_vectors[seed % std::size(numbers_of_vectors)];
      x.n = 2 + random.below(seed % 4 == 0 ? 2000 : 60);
      const auto fill = [&](std::vector<unsigned char>& bytes, element_type type) {
        const std::size_t size = size_of(type);
        bytes.resize((std::max(x.rows, x.vectors) * x.n + 1) * size);
        for (unsigned char& each : bytes) each = static_cast<unsigned char>(random.bits());
        if (seed % 3 == 0 || is_integer(type) || size == 1 || x.swapped) return;
        for (std::size_t k = size - 1; k < bytes.size(); k += size)
          bytes[k] = static_cast<unsigned char>((bytes[k] & 0x80) | 0x3c);
      };
      fill(x.a, first), fill(x.b, second);
      set_layout(x, seed);
      expect_products(x, 1 + static_cast<int>(i % 2), seed);
      if (HasFatalFailure()) return;
    }
  }
}

/// Neither rows, nor vectors, nor elements.
TEST(right_sides, may_be_empty) {
  product_case x{
      element_type::bfloat16, element_type::bfloat16, element_type::bfloat16, 12, 4, 10, {}, {}, 20, 2, 20, 2};
  x.a.assign(400, 1), x.b.assign(400, 1);
  expect_products(x, 2, 0);
  for (std::size_t product_case::*length : {&product_case::rows, &product_case::vectors, &product_case::n}) {
    product_case empty = x;
    empty.*length = 0;
    expect_products(empty, 2, 1);
  }
}

}  // namespace
