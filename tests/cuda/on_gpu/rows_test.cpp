// Rows in device memory by all of the oracle's generators, of every length up to 200 and some beyond, aligned or
// not, strided, overlapping, and of one repeated vector; rows of bytes of every element type.
#include "cuda/on_gpu/row_matrices.hpp"

namespace {

using namespace on_gpu;

class cuda_rows : public needs_gpu {};

template <class T>
void expect_generated(int repeats, std::size_t longest, unsigned salt) {
  for (int i = 0; i < oracle::scaled(repeats); ++i) {
    const auto seed = static_cast<unsigned>(i) * 7 + salt;
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(24), n = random.below(longest + 1), gap = random.below(4);
    expect_any(generated<T>(random, count, n, gap), seed, "generated");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_rows, of_all_kinds_of_data_equal_vectors) {
  for (const std::size_t longest : {20, 40, 200, 700, 2100}) {
    expect_generated<float>(60, longest, static_cast<unsigned>(longest));
    expect_generated<double>(60, longest, static_cast<unsigned>(longest) + 1);
    if (HasFatalFailure()) return;
  }
}

/// Every other element, backwards, repeated ones; a matrix times a vector; rows that overlap. `columns`: the rows
/// of the transpose.
template <class T>
void expect_strided(unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(40)); ++i) {
    const unsigned seed = 5 * i + salt;
    oracle::rng random(seed);
    matrix given = generated<T>(random, 1 + random.below(9), random.below(120), 3);
    given.n /= 3;
    given.stride_a = given.stride_b *= 1 + static_cast<std::ptrdiff_t>(random.below(3));
    if (i % 4 == 1) given.stride_a = given.stride_b = 0;
    if (i % 4 == 2) given.next_b = 0;
    if (i % 4 == 3) given.next_a = sizeof(T);
    expect_any(given, seed, "strided");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_rows, of_any_stride_equal_vectors) {
  expect_strided<float>(100);
  expect_strided<double>(200);
}

/// Every length, of one number that rounds, and of numbers that nearly cancel.
template <class T>
void expect_every_length() {
  for (std::size_t n = 0; n <= 200; ++n) {
    oracle::rng random(n);
    std::vector<T> a, b;
    for (std::size_t i = 0; i < 3 * (n + 1); ++i) {
      const double x = static_cast<double>(random.below(1U << 30)) * 0x1p-30;
      a.push_back(static_cast<T>(i < n ? 1.0 / 3 : i % 2 == 0 ? x : -x));
      b.push_back(static_cast<T>(x + 0x1p-20));
    }
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    expect_any({type_of<T>, type_of<T>, 3, n, bytes_of(a), bytes_of(b), static_cast<std::ptrdiff_t>(n + 1) * size,
                0, size, size},
               static_cast<unsigned>(n), "every length");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_rows, of_every_length_equal_vectors) {
  expect_every_length<float>();
  expect_every_length<double>();
}

template <class Element>
void expect_packs(std::size_t longest, unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(5)); ++i) {
    const unsigned seed = 13 * i + salt;
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(i % 4 == 3 ? 140 : 12), n = 1 + random.below(longest);
    const double scale = std::is_integral_v<Element> ? std::ldexp(1.0, static_cast<int>(random.below(30))) : 1;
    const matrix floats = i % 3 == 0 ? near_ties(random, count, n, i % 2 == 0 ? 8 : 11)
                                     : generated<float>(random, count, n, i % 4 < 2 ? random.below(9) : 0);
    const matrix given = narrowed<Element>(floats, scale);
    const bool is_whole = floats.next_a == static_cast<std::ptrdiff_t>(floats.n * sizeof(float));
    const matrix used = i % 4 >= 2 && is_whole ? transposed(given, sizeof(Element)) : given;
    if constexpr (std::is_integral_v<Element>) {
      constexpr element_type results[] = {element_type::float64, element_type::float32, element_type::int64};
      const element_type type = results[seed % 3];
      // of integers only what always fits
      const auto type_if = [&](bool fits) { return fits ? type : element_type::float64; };
      expect_rows(used, reduction::sum, type_if(sizeof(Element) < 8), seed % 4, "packs");
      expect_rows(used, reduction::dot, type_if(sizeof(Element) < 4), seed % 3, "packs");
      expect_rows(used, reduction::asum, type_if(sizeof(Element) < 8), seed % 2, "packs");
      expect_rows(used, reduction::variance, type_if(type != element_type::int64), seed % 2, "packs");
    } else {
      expect_any(used, seed, "packs");
      expect_any(used, seed + 7, "packs");
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_rows, of_elements_in_packs_equal_vectors) {
  for (const std::size_t longest : {20, 300, 2000}) {
    const auto salt = static_cast<unsigned>(longest);
    expect_packs<float16>(longest, salt);
    expect_packs<bfloat16>(longest, salt + 1);
    expect_packs<std::int8_t>(longest, salt + 2);
    expect_packs<std::uint8_t>(longest, salt + 3);
    expect_packs<std::int16_t>(longest, salt + 4);
    expect_packs<std::uint16_t>(longest, salt + 5);
    expect_packs<std::int32_t>(longest, salt + 6);
    expect_packs<std::uint32_t>(longest, salt + 7);
    expect_packs<std::int64_t>(longest, salt + 8);
    expect_packs<std::uint64_t>(longest, salt + 9);
    expect_packs<float8_e4m3fn>(longest, salt + 10);
    expect_packs<float8_e5m2>(longest, salt + 11);
    if (HasFatalFailure()) return;
  }
}

/// A batch of one vector is that vector's call.
TEST_F(cuda_rows, of_one_have_the_variance_of_a_long_line) {
  oracle::rng random(3);
  const matrix floats = generated<float>(random, 1, 140'001, 0);
  expect_rows(narrowed<float16>(floats, 1), reduction::variance, element_type::float32, 1, "one line");
  expect_rows(narrowed<bfloat16>(floats, 1), reduction::stddev, element_type::bfloat16, 2, "one line");
  expect_rows(narrowed<float8_e5m2>(floats, 1), reduction::variance, element_type::float8_e4m3fn, 1, "one line");
  expect_rows(narrowed<std::int32_t>(floats, 100), reduction::variance, element_type::float64, 3, "one line");
  expect_rows(narrowed<std::int64_t>(floats, 100), reduction::variance, element_type::float64, 0, "one line");
  const matrix equal =
      narrowed<float16>({type_of<float>, type_of<float>, 1, 140'001, bytes_of(std::vector<float>(140'001, 0.1F)),
                         bytes_of(std::vector<float>(140'001, 1)), 0, 0, sizeof(float), sizeof(float)},
                        1);
  expect_rows(equal, reduction::variance, element_type::float64, 0, "equal elements");
}

TEST_F(cuda_rows, of_doubles_of_few_bits_equal_vectors) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::scaled(24)); ++seed) {
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(20), n = 1 + random.below(seed % 4 == 0 ? 1500 : 100);
    const matrix floats = near_ties(random, count, n, 53);
    matrix given = narrowed<double>(floats, seed % 3 == 0 ? 3 : 1);
    for (std::size_t i = 0; i < count * n;
         ++i) {  // products that are multiples of small powers of two, or underflow
      const double y = std::ldexp(1.0, static_cast<int>(random.below(3)) - (seed % 5 == 0 ? 960 : 0));
      std::memcpy(&given.b[i * sizeof y], &y, sizeof y);
    }
    if (seed % 2 == 1) given = transposed(given, sizeof(double));
    expect_rows(given, reduction::dot, element_type::float64, seed % 2, "few bits");
    expect_rows(given, reduction::sum_of_squares, element_type::float64, seed % 2, "few bits");
    expect_rows(given, reduction::variance, element_type::float64, seed % 2, "few bits");
    if (HasFatalFailure()) return;
  }
}

TEST_F(cuda_rows, of_other_elements_equal_vectors) {
  using enum element_type;
  constexpr element_type pairs[][2] = {{float16, float16}, {bfloat16, float16}, {bfloat16, float64},
                                       {int8, uint16},     {int32, int32},      {int64, uint64},
                                       {uint8, uint32},    {float64, float64}, {float8_e4m3fn, float8_e5m2},
                                       {float8_e5m2, float16}};
  unsigned seed = 10;
  for (const auto& [first, second] : pairs) {
    for (const std::size_t longest : {15, 150, 1500}) {
      for (int i = 0; i < oracle::scaled(8); ++i) {
        oracle::rng random(++seed);
        const std::size_t count = 1 + random.below(5), n = 1 + random.below(longest);
        const auto filled = [&](element_type type) {
          std::vector<unsigned char> bytes(count * n * size_of(type));
          for (unsigned char& each : bytes) each = static_cast<unsigned char>(random.bits());
          return bytes;
        };
        const auto a = static_cast<std::ptrdiff_t>(size_of(first)),
                   b = static_cast<std::ptrdiff_t>(size_of(second));
        const auto length = static_cast<std::ptrdiff_t>(n);
        const matrix given{first,      second,     count, n, filled(first), filled(second),
                           length * a, length * b, a,     b, seed % 4 == 0};
        // integers that always fit
        const element_type floating = seed % 3 == 0 ? float32 : float64;
        const bool whole = is_integer(first) && seed % 2 == 0;
        expect_rows(given, reduction::dot, whole && a < 4 ? int64 : floating, seed % 3, "bytes");
        expect_rows(given, reduction::sum, whole && a < 8 ? int64 : floating, seed % 4, "bytes");
        expect_rows(given, reduction::mean, float64, 0, "bytes");
        expect_rows(given, reduction::nrm2, float64, 1, "bytes");
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
