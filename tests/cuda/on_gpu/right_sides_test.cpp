// Rows in device memory times few vectors: every product has the bits of the CPU's dot product of the row and the
// vector, of all kinds of data, lengths, numbers of vectors and layouts.
#include "cuda/on_gpu/row_matrices.hpp"

namespace {

using namespace on_gpu;

class cuda_right_sides : public needs_gpu {};

/// `rows` rows of a, each times `vectors` rows of b.
struct product_case {
  matrix of;
  std::size_t rows, vectors;
  element_type result;
  std::size_t skew_a = 0, skew_b = 0;  ///< elements before the first
  bool rows_first = true;              ///< the rows are the call's first input, else the vectors
};

std::vector<unsigned char> shifted(const std::vector<unsigned char>& x, std::size_t bytes) {
  std::vector<unsigned char> all(x.size() + bytes + 1, 0xff);
  std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
  return all;
}

/// `multiprocessors`: as the call takes the device; 0: all.
void expect_products(const product_case& asked, const std::string& name, int multiprocessors = 1) {
  const matrix& of = asked.of;
  const std::size_t bytes_a = asked.skew_a * size_of(of.type_a), bytes_b = asked.skew_b * size_of(of.type_b);
  const device_vector<unsigned char> a(shifted(of.a, bytes_a)), b(shifted(of.b, bytes_b));
  constexpr std::ptrdiff_t distance = 16;  // of results
  const std::vector<unsigned char> unwritten(asked.rows * asked.vectors * distance, 0x5a);
  const device_vector<unsigned char> out(unwritten);
  const std::ptrdiff_t of_vector = distance * static_cast<std::ptrdiff_t>(asked.rows);
  const axis kept_a[]{{asked.vectors, 0}, {asked.rows, of.next_a}};
  const axis kept_b[]{{asked.vectors, of.next_b}, {asked.rows, 0}};
  const axis places[]{{asked.vectors, of_vector}, {asked.rows, distance}};
  const axis in_a{of.n, of.stride_a}, in_b{of.n, of.stride_b};
  const any_grid first{a.data() + bytes_a, of.type_a, kept_a, {&in_a, 1}};
  const any_grid second{b.data() + bytes_b, of.type_b, kept_b, {&in_b, 1}};
  const any_results to{out.data(), asked.result, places, false};
  cuda::workspace workspace;
  if (multiprocessors != 0) workspace.library_storage().multiprocessors = multiprocessors;
  asked.rows_first ? cuda::dot(workspace, first, second, to) : cuda::dot(workspace, second, first, to);
  workspace.check();
  std::vector<unsigned char> expected = unwritten;
  for (std::size_t v = 0; v < asked.vectors; ++v) {
    for (std::size_t i = 0; i < asked.rows; ++i) {
      const any_scalar right = dot(of.row_of_a(i), of.row_of_b(v), asked.result, options{.device = device::cpu});
      std::memcpy(&expected[(v * asked.rows + i) * distance], &right.bits, size_of(asked.result));
    }
  }
  const std::vector<unsigned char> found = out.read(unwritten.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t product = i / distance;
    ASSERT_EQ(found[i], expected[i]) << name << ": " << name_of(of.type_a) << " to " << name_of(asked.result)
                                     << ", byte " << i % distance << " of row " << product % asked.rows << " of "
                                     << asked.rows << " times vector " << product / asked.rows << " of "
                                     << asked.vectors << ", " << of.n << " elements, skews " << asked.skew_a << ", "
                                     << asked.skew_b;
  }
}

/// The rows of b with the elements of one vector `count` elements apart, as those of X in A @ X.
matrix with_interleaved_vectors(const matrix& of) {
  matrix to = of;
  const std::size_t bytes = size_of(of.type_b);
  to.b.assign(of.count * of.n * bytes, 0);
  for (std::size_t v = 0; v < of.count; ++v) {
    for (std::size_t k = 0; k < of.n; ++k) {
      std::memcpy(&to.b[(k * of.count + v) * bytes],
                  &of.b[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(v) * of.next_b) + k * bytes], bytes);
    }
  }
  to.next_b = static_cast<std::ptrdiff_t>(bytes), to.stride_b = static_cast<std::ptrdiff_t>(of.count * bytes);
  return to;
}

template <class Element>
matrix as(const matrix& floats) {
  if constexpr (std::is_same_v<Element, float>) {
    return floats;
  } else {
    return narrowed<Element>(floats, 1);
  }
}

constexpr std::size_t numbers_of_vectors[] = {2, 8, 3, 9, 16, 1, 17, 5, 33, 64, 41};

template <class Element>
void expect_generated(std::size_t longest, unsigned salt) {
  constexpr element_type results[] = {type_of<Element>, element_type::float32, type_of<Element>,
                                      element_type::bfloat16, element_type::float64};
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(10)); ++i) {
    const unsigned seed = 17 * i + salt;
    oracle::rng random(seed);
    product_case asked;
    asked.vectors = numbers_of_vectors[(i + salt) % std::size(numbers_of_vectors)];
    asked.rows = 1 + random.below(i % 5 == 4 ? 150 : 40);
    std::size_t n = 1 + random.below(longest);
    fit_simulator(asked.rows, n);
    const std::size_t gap = i % 3 == 0 ? 0 : random.below(4);
    const std::size_t all = std::max(asked.rows, asked.vectors);
    const matrix floats = i % 4 == 3 ? near_ties(random, all, n, std::is_same_v<Element, bfloat16> ? 8 : 24)
                                     : generated<float>(random, all, n, gap);
    asked.of = as<Element>(floats);
    if (i % 4 == 1) asked.of = with_interleaved_vectors(asked.of);
    asked.result = results[(i + salt) % std::size(results)];
    asked.skew_a = i % 2 * random.below(4), asked.skew_b = i % 2 * random.below(4);
    asked.rows_first = i % 3 != 2;
    expect_products(asked, "generated, seed " + std::to_string(seed));
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Element>
void expect_all_lengths(unsigned salt) {
  for (const std::size_t longest : {20, 130, 700, 3000}) {
    expect_generated<Element>(longest, salt + static_cast<unsigned>(longest));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_right_sides, of_bfloat16_have_the_bits_of_dot_products) { expect_all_lengths<bfloat16>(1); }
TEST_F(cuda_right_sides, of_float16_have_the_bits_of_dot_products) { expect_all_lengths<float16>(2); }
TEST_F(cuda_right_sides, of_float_have_the_bits_of_dot_products) { expect_all_lengths<float>(3); }

TEST_F(cuda_right_sides, of_double_have_the_bits_of_dot_products) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(24)); ++i) {
    oracle::rng random(i);
    product_case asked;
    const bool are_near_ties = i % 3 == 2;
    asked.vectors = are_near_ties ? 4 + random.below(14) : numbers_of_vectors[i % std::size(numbers_of_vectors)];
    asked.rows = 1 + random.below(20);
    const std::size_t all = std::max(asked.rows, asked.vectors), n = 1 + random.below(i % 4 == 0 ? 1500 : 200);
    asked.of = are_near_ties ? narrowed<double>(near_ties(random, all, n, 53), 1)
                             : generated<double>(random, all, n, random.below(3));
    if (i % 4 == 1) asked.of = with_interleaved_vectors(asked.of);
    asked.result = i % 5 == 4 ? element_type::float32 : element_type::float64;
    asked.skew_a = random.below(2), asked.skew_b = random.below(2), asked.rows_first = i % 2 == 0;
    expect_products(asked, "seed " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
}

/// Any bits: infinities, NaNs, subnormal numbers, and all exponents.
template <class Element>
void expect_any_bits(unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(12)); ++i) {
    oracle::rng random(i + salt);
    constexpr std::size_t bytes = sizeof(Element);
    product_case asked;
    asked.vectors = numbers_of_vectors[i % std::size(numbers_of_vectors)], asked.rows = 8 + random.below(30);
    const std::size_t count = std::max(asked.rows, asked.vectors), n = 1 + random.below(i % 2 == 0 ? 30 : 900);
    const auto filled = [&] {
      std::vector<unsigned char> x(count * n * bytes);
      for (unsigned char& each : x) each = static_cast<unsigned char>(random.bits());
      if (i % 3 == 0) return x;
      for (std::size_t k = bytes - 1; k < x.size(); k += bytes) {
        // the sign, and exponents of small and of subnormal numbers
        x[k] = static_cast<unsigned char>(x[k] & (i % 3 == 1 ? 0x80 : 0xbf));
        if (i % 3 == 1 && random.below(3) != 0) x[k - 1] = static_cast<unsigned char>(x[k - 1] & 0x07);
      }
      return x;
    };
    const auto distance = static_cast<std::ptrdiff_t>(n * bytes), size = static_cast<std::ptrdiff_t>(bytes);
    asked.of = {type_of<Element>, type_of<Element>, count, n, filled(), filled(), distance, distance, size, size};
    asked.result = i % 4 == 3 ? element_type::float32 : type_of<Element>;
    expect_products(asked, "bits " + std::to_string(i));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_right_sides, of_any_bits_have_the_bits_of_dot_products) {
  expect_any_bits<bfloat16>(1);
  expect_any_bits<float16>(2);
  expect_any_bits<float>(3);
  expect_any_bits<double>(4);
}

/// Integers, whose products and sums are often ties of results of few bits; zero rows and zero vectors.
template <class Element>
void expect_small_integers() {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(8)); ++i) {
    oracle::rng random(i);
    product_case asked;
    asked.vectors = 2 + random.below(15), asked.rows = 16 + random.below(50), asked.result = type_of<Element>;
    const std::size_t count = std::max(asked.rows, asked.vectors), n = 100 + random.below(900);
    std::vector<Element> a(count * n), b(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      using carrier = std::conditional_t<std::is_same_v<Element, double>, double, float>;
      const auto integer = [&](std::size_t row) {
        return static_cast<Element>(row % 5 == 3 ? carrier(0) : static_cast<carrier>(random.below(17)) - 8);
      };
      a[k] = integer(k / n), b[k] = integer(k / n + 1);
    }
    const auto distance = static_cast<std::ptrdiff_t>(n * sizeof(Element)),
               size = static_cast<std::ptrdiff_t>(sizeof(Element));
    asked.of = {type_of<Element>, type_of<Element>, count,    n,    bytes_of(a),
                bytes_of(b),      distance,         distance, size, size};
    expect_products(asked, "integers " + std::to_string(i));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_right_sides, of_integers_have_the_bits_of_dot_products) {
  expect_small_integers<bfloat16>();
  expect_small_integers<float16>();
  expect_small_integers<float>();
  expect_small_integers<double>();
}

/// Types that no tiles take, and those that differ: a reading for each vector, and the same bits.
TEST_F(cuda_right_sides, of_other_elements_have_the_bits_of_dot_products) {
  using enum element_type;
  constexpr element_type pairs[][2] = {{int8, int8},        {int32, int32},     {float8_e4m3fn, float8_e4m3fn},
                                       {float16, bfloat16}, {float32, float64}, {int64, int64}};
  unsigned seed = 50;
  for (const auto& [first, second] : pairs) {
    oracle::rng random(++seed);
    const std::size_t count = 20, n = 1 + random.below(200);
    const auto filled = [&](element_type type) {
      std::vector<unsigned char> bytes(count * n * size_of(type));
      for (unsigned char& each : bytes) each = static_cast<unsigned char>(random.bits());
      return bytes;
    };
    const auto a = static_cast<std::ptrdiff_t>(size_of(first)), b = static_cast<std::ptrdiff_t>(size_of(second));
    const auto length = static_cast<std::ptrdiff_t>(n);
    expect_products({{first, second, count, n, filled(first), filled(second), length * a, length * b, a, b},
                     count,
                     5,
                     is_integer(first) ? float64 : float32},
                    "bytes");
    if (HasFatalFailure()) return;
  }
}

/// Rows that lie as columns, overlap or run backwards; no rows, vectors or elements; and the device as it is.
TEST_F(cuda_right_sides, of_any_layout_have_the_bits_of_dot_products) {
  oracle::rng random(5);
  const matrix floats = generated<float>(random, 40, 60, 0), halves = narrowed<float16>(floats, 1);
  const matrix columns = transposed(halves, 2);
  expect_products({columns, 40, 6, element_type::float32}, "columns");
  matrix changed = halves;
  changed.next_a = 2, changed.n = 50;
  expect_products({changed, 30, 8, element_type::float16}, "overlapping rows");
  changed = halves;
  changed.stride_b = 0;
  expect_products({changed, 40, 8, element_type::float16}, "vectors of one number");
  const product_case large{halves, 40, 16, element_type::float16};
  expect_products(large, "all multiprocessors", 0);
  product_case empty = large;
  empty.rows = 0;
  expect_products(empty, "no rows");
  empty = large, empty.of.n = 0;
  expect_products(empty, "no elements");
  empty = large, empty.vectors = 0;
  expect_products(empty, "no vectors");
}

}  // namespace
