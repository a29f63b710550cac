// Rows in device memory by all of the oracle's generators, of every length up to 200 and some beyond, aligned or
// not, strided, overlapping, and of one repeated vector; columns; rows of bytes of every element type. Compared
// with the vector call of the CPU, which tests/table compares with the oracle.
#include <algorithm>
#include <cmath>
#include <exactdot/cuda.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <limits>

#include "cuda/on_gpu/support.hpp"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;

class cuda_rows : public needs_gpu {};

/// Rows of n elements, as bytes: the first one's offset, the distance of rows and that of elements in bytes.
struct matrix {
  element_type type_a, type_b;
  std::size_t count, n;
  std::vector<unsigned char> a, b;
  std::ptrdiff_t next_a, next_b, stride_a, stride_b;
  bool swapped = false;

  [[nodiscard]] any_vector row_of_a(std::size_t i) const { return row(a, type_a, next_a, stride_a, i); }
  [[nodiscard]] any_vector row_of_b(std::size_t i) const { return row(b, type_b, next_b, stride_b, i); }

 private:
  [[nodiscard]] any_vector row(const std::vector<unsigned char>& of, element_type type, std::ptrdiff_t next,
                               std::ptrdiff_t stride, std::size_t i) const {
    return {of.data() + static_cast<std::ptrdiff_t>(i) * next, n, type, stride, swapped && size_of(type) > 1};
  }
};

/// One call on the device, and a vector call for each row. `skew`: elements before the first.
void expect_rows(const matrix& of, reduction what, element_type type, std::size_t skew, const std::string& name) {
  const auto shifted = [&](const std::vector<unsigned char>& x, element_type t) {
    std::vector<unsigned char> all(x.size() + skew * size_of(t) + 1, 0xff);
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(skew * size_of(t)));
    return all;
  };
  const device_vector<unsigned char> a(shifted(of.a, of.type_a)), b(shifted(of.b, of.type_b));
  constexpr std::ptrdiff_t distance = 16;  // of results
  const std::vector<unsigned char> unwritten(static_cast<std::size_t>(distance) * (of.count + 1), 0x5a);
  const device_vector<unsigned char> out(unwritten);
  const axis rows_a{of.count, of.next_a}, rows_b{of.count, of.next_b}, places{of.count, distance};
  const axis in_a{of.n, of.stride_a}, in_b{of.n, of.stride_b};
  const any_grid first{a.data() + skew * size_of(of.type_a),
                       of.type_a,
                       {&rows_a, 1},
                       {&in_a, 1},
                       of.swapped && size_of(of.type_a) > 1};
  const any_grid second{b.data() + skew * size_of(of.type_b),
                        of.type_b,
                        {&rows_b, 1},
                        {&in_b, 1},
                        of.swapped && size_of(of.type_b) > 1};
  const any_results to{out.data(), type, {&places, 1}, false};
  cuda::workspace workspace;
  what == reduction::dot ? cuda::dot(workspace, first, second, to) : cuda::reduce(workspace, what, first, to);
  workspace.check();
  std::vector<unsigned char> expected = unwritten;
  for (std::size_t i = 0; i < of.count; ++i) {
    const options on_cpu{.device = device::cpu};
    const any_scalar right = what == reduction::dot ? dot(of.row_of_a(i), of.row_of_b(i), type, on_cpu)
                                                    : reduce(what, of.row_of_a(i), type, on_cpu);
    std::memcpy(&expected[i * distance], &right.bits, size_of(type));
  }
  const std::vector<unsigned char> found = out.read(unwritten.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i]) << name << ": " << name_of(what) << " of " << name_of(of.type_a) << " to "
                                     << name_of(type) << ", byte " << i % distance << " of row " << i / distance
                                     << " of " << of.count << " by " << of.n << ", skew " << skew;
  }
}

/// A reduction, and a dot product, to result types in turn.
void expect_any(const matrix& of, unsigned seed, const std::string& name) {
  const element_type types[] = {of.type_a, element_type::float32, element_type::float64, of.type_a,
                                element_type::bfloat16};
  const reduction all[] = {reduction::sum,  reduction::mean,           reduction::asum,
                           reduction::nrm2, reduction::sum_of_squares, reduction::variance};
  expect_rows(of, all[seed / 5 % 6], types[seed % 5], seed % 4, name);
  expect_rows(of, reduction::dot, seed % 3 == 0 ? element_type::float64 : of.type_a, seed % 3, name);
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& x) {
  const auto* const first = reinterpret_cast<const unsigned char*>(x.data());
  return {first, first + x.size() * sizeof(T)};
}

/// Rows of at least n elements, the next of the generators for each; `gap` elements between rows.
template <class T>
matrix generated(oracle::rng& random, std::size_t count, std::size_t n, std::size_t gap) {
  const auto all = oracle::generators<T>();
  const std::size_t first = random.below(all.size());
  std::vector<oracle::vectors<T>> of_row;
  std::size_t length = n;
  for (std::size_t i = 0; i < count; ++i) {
    of_row.push_back(all[(first + i) % all.size()].make(random, n));
    if (n != 0) length = std::max(length, of_row.back().size());  // some kinds of data need more; never of nothing
  }
  const std::size_t next = length + gap;
  std::vector<T> a(count * next, T(NAN)), b = a;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < length; ++k) {
      a[i * next + k] = k < of_row[i].size() ? of_row[i].a[k] : T(0);
      b[i * next + k] = k < of_row[i].size() ? of_row[i].b[k] : T(1);
    }
  }
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  const auto distance = static_cast<std::ptrdiff_t>(next) * size;
  return {type_of<T>, type_of<T>, count, length, bytes_of(a), bytes_of(b), distance, distance, size, size};
}

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

/// The columns of the transpose.
matrix transposed(const matrix& rows, std::size_t bytes) {
  matrix to = rows;
  to.next_a = to.next_b = static_cast<std::ptrdiff_t>(bytes);
  to.stride_a = to.stride_b = static_cast<std::ptrdiff_t>(rows.count * bytes);
  for (std::size_t k = 0; k < rows.count * rows.n; ++k) {
    const std::size_t from = k * bytes, place = (k % rows.n * rows.count + k / rows.n) * bytes;
    std::memcpy(&to.a[place], &rows.a[from], bytes);
    std::memcpy(&to.b[place], &rows.b[from], bytes);
  }
  return to;
}

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

TEST_F(cuda_rows, of_a_transpose_equal_vectors) {
  for (const std::size_t most : {20, 70}) {
    expect_columns<float>(most, 400);
    expect_columns<double>(most, 500);
  }
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

/// Numbers as elements of another type: rounded; as integers clamped, and rescaled so that few are 0.
template <class Element>
std::vector<unsigned char> narrowed(const std::vector<unsigned char>& floats, double scale) {
  std::vector<float> from(floats.size() / sizeof(float));
  std::memcpy(from.data(), floats.data(), floats.size());
  std::vector<Element> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if constexpr (std::is_integral_v<Element>) {
      const double scaled = std::isfinite(from[i]) ? from[i] * scale : 7;
      to[i] = static_cast<Element>(std::clamp<double>(scaled, std::numeric_limits<Element>::lowest() / 2.0,
                                                      std::numeric_limits<Element>::max() / 2.0));
    } else {
      to[i] = static_cast<Element>(from[i] * (std::is_same_v<Element, double> ? scale : 1));
    }
  }
  return bytes_of(to);
}

/// A matrix of floats as one of other elements.
template <class Element>
matrix narrowed(const matrix& from, double scale) {
  matrix to = from;
  to.type_a = to.type_b = type_of<Element>;
  to.a = narrowed<Element>(from.a, scale), to.b = narrowed<Element>(from.b, scale);
  const auto rescaled = [](std::ptrdiff_t& bytes) {
    bytes = bytes / static_cast<std::ptrdiff_t>(sizeof(float)) * static_cast<std::ptrdiff_t>(sizeof(Element));
  };
  rescaled(to.next_a), rescaled(to.next_b), rescaled(to.stride_a), rescaled(to.stride_b);
  return to;
}

/// Rows next to a tie, of which one small element decides on which side; and rows on the tie.
matrix near_ties(oracle::rng& random, std::size_t count, std::size_t n, int bits) {
  std::vector<float> a(count * n), b(count * n, 1);
  for (std::size_t row = 0; row < count; ++row) {
    float* const x = a.data() + row * n;
    x[random.below(n)] += 1;
    x[random.below(n)] += std::ldexp(1.F, -bits);  // half of the last bit of a result of so many bits
    const float small =
        std::ldexp(random.below(2) == 0 ? 1.F : -1.F, -bits - 1 - static_cast<int>(random.below(90)));
    if (random.below(4) != 0) x[random.below(n)] += small;
    const std::size_t first = random.below(n), second = random.below(n);
    x[first] += 96, x[second] -= 96;  // what cancels may round
  }
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(float));
  const auto distance = static_cast<std::ptrdiff_t>(n) * size;
  return {type_of<float>, type_of<float>, count, n, bytes_of(a), bytes_of(b), distance, distance, size, size};
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
    if (HasFatalFailure()) return;
  }
}

/// A batch of one vector is that vector's call.
TEST_F(cuda_rows, of_one_have_the_variance_of_a_long_line) {
  oracle::rng random(3);
  const matrix floats = generated<float>(random, 1, 140'001, 0);
  expect_rows(narrowed<float16>(floats, 1), reduction::variance, element_type::float32, 1, "one line");
  expect_rows(narrowed<bfloat16>(floats, 1), reduction::stddev, element_type::bfloat16, 2, "one line");
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
                                       {uint8, uint32},    {float64, float64}};
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
