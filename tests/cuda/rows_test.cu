// Kernels of lines: matrices of rows by all of the oracle's generators, of every length up to 200 and some beyond,
// with every number of lanes a row, aligned or not, strided, overlapping, and of one repeated vector; columns.
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A term's reductions and result types in turn.
template <class Way, class T>
void expect_any(const matrix<T>& of, unsigned seed, const std::string& name) {
  constexpr element_type types[] = {type_of<T>, element_type::float32, element_type::float64, type_of<T>,
                                    element_type::bfloat16};
  const element_type type = types[seed % 5];
  switch (seed / 5 % 6) {
    case 0:
      return expect_rows<core::value, Way>(of, reduction::sum, type, seed, name);
    case 1:
      return expect_rows<core::value, Way>(of, reduction::mean, type, seed, name);
    case 2:
      return expect_rows<core::magnitude, Way>(of, reduction::asum, type, seed, name);
    case 3:
      return expect_rows<core::square, Way>(of, reduction::nrm2, type, seed, name);
    case 4:
      return expect_rows<core::square, Way>(of, reduction::sum_of_squares, type, seed, name);
    default:
      return expect_rows<core::product, Way>(of, reduction::dot, type, seed, name);
  }
}
template <class Way, class T>
void expect_dots(const matrix<T>& of, unsigned seed, const std::string& name) {
  expect_rows<core::product, Way>(of, reduction::dot, seed % 3 == 0 ? element_type::float64 : type_of<T>, seed,
                                  name);
}

/// Rows of at least n elements, the next of the generators for each; `gap` elements between rows.
template <class T>
matrix<T> rows_of(oracle::rng& random, std::size_t count, std::size_t n, std::size_t gap, std::size_t first) {
  const auto all = oracle::generators<T>();
  std::vector<oracle::vectors<T>> of_row;
  matrix<T> made;
  made.count = count, made.n = n;
  for (std::size_t i = 0; i < count; ++i) {
    of_row.push_back(all[(first + i) % all.size()].make(random, n));
    if (n != 0) made.n = std::max(made.n, of_row.back().size());  // some kinds of data need more; never of nothing
  }
  const std::size_t next = made.n + gap;
  made.next_a = made.next_b = static_cast<std::ptrdiff_t>(next);
  made.a.assign(count * next, T(NAN)), made.b = made.a;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < made.n; ++k) {
      made.a[i * next + k] = k < of_row[i].size() ? of_row[i].a[k] : T(0);
      made.b[i * next + k] = k < of_row[i].size() ? of_row[i].b[k] : T(1);
    }
  }
  return made;
}

template <class Way, class T>
void expect_generated_rows(int repeats, std::size_t longest, unsigned salt) {
  const std::size_t kinds = oracle::generators<T>().size();
  for (int i = 0; i < oracle::scaled(repeats); ++i) {
    const auto seed = static_cast<unsigned>(i) * 7 + salt;
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(24), n = random.below(longest + 1), gap = random.below(4);
    const auto given = rows_of<T>(random, count, n, gap, random.below(kinds));
    expect_any<Way>(given, seed, "generated");
    expect_dots<Way>(given, seed, "generated");
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Way>
void expect_rows_of_all_kinds(int repeats, std::size_t longest, unsigned salt) {
  expect_generated_rows<Way, float>(repeats, longest, salt);
  expect_generated_rows<Way, double>(repeats, longest, salt + 1);
}

TEST_F(rows, of_few_lanes_equal_vectors) {
  expect_rows_of_all_kinds<way<1, 2>>(40, 20, 10);
  expect_rows_of_all_kinds<way<2, 2>>(40, 40, 20);
  expect_rows_of_all_kinds<way<4, 2>>(60, 150, 30);
  expect_rows_of_all_kinds<way<8>>(60, 200, 40);
}

TEST_F(rows, of_a_warp_equal_vectors) { expect_rows_of_all_kinds<way<32>>(60, 700, 50); }

TEST_F(rows, of_a_block_equal_vectors) { expect_rows_of_all_kinds<way<128, 2>>(40, 2100, 60); }

/// Every other element, backwards, repeated ones.
template <class Way, class T>
void expect_strided_rows(unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(40)); ++i) {
    const unsigned seed = 5 * i + salt;
    oracle::rng random(seed);
    auto given = rows_of<T>(random, 1 + random.below(9), random.below(120), 3, random.below(50));
    given.n = given.n / 3, given.stride = 1 + static_cast<std::ptrdiff_t>(random.below(3));
    if (i % 4 == 1) given.stride = 0;
    if (i % 4 == 2) given.next_b = 0;  // a matrix times a vector
    if (i % 4 == 3) given.next_a = 1;  // rows that overlap
    expect_any<Way>(given, seed, "strided");
    expect_dots<Way>(given, seed, "strided");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_any_stride_equal_vectors) {
  expect_strided_rows<way<32, 4, input_layout::strided>, float>(100);
  expect_strided_rows<way<8, 4, input_layout::strided>, double>(200);
  expect_strided_rows<way<128, 4, input_layout::strided>, double>(300);
}

template <class Way, class T>
void expect_columns(std::size_t most, unsigned salt) {
  for (unsigned i = 0; i < 10; ++i) {
    const unsigned seed = 11 * i + salt;
    oracle::rng random(seed);
    const auto given =
        transposed(rows_of<T>(random, 1 + random.below(most), random.below(250), 0, random.below(50)));
    expect_any<Way>(given, seed, "columns");
    expect_dots<Way>(given, seed, "columns");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_a_transpose_equal_vectors) {
  expect_columns<columns_of_block<256, 32>, float>(70, 400);
  expect_columns<columns_of_block<256, 8>, double>(20, 500);
  expect_columns<way<1, 8, input_layout::strided>, float>(70, 600);
  expect_columns<way<1, 8, input_layout::strided>, double>(70, 700);
}

/// Every length, of one number that rounds, and of numbers that nearly cancel.
template <class Way, class T>
void expect_every_length() {
  for (std::size_t n = 0; n <= 200; ++n) {
    oracle::rng random(n);
    matrix<T> given;
    given.count = 3, given.n = n, given.next_a = static_cast<std::ptrdiff_t>(n) + 1, given.next_b = 0;
    for (std::size_t i = 0; i < 3 * (n + 1); ++i) {
      const double x = static_cast<double>(random.below(1U << 30)) * 0x1p-30;
      given.a.push_back(static_cast<T>(i < n ? 1.0 / 3 : i % 2 == 0 ? x : -x));
      given.b.push_back(static_cast<T>(x + 0x1p-20));
    }
    expect_any<Way>(given, static_cast<unsigned>(n), "every length");
    expect_dots<Way>(given, static_cast<unsigned>(n), "every length");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_every_length_equal_vectors) {
  expect_every_length<way<1, 2>, float>();
  expect_every_length<way<4, 2>, double>();
  expect_every_length<way<8>, float>();
  expect_every_length<way<32>, double>();
  expect_every_length<way<128, 2>, float>();
}

TEST_F(rows, of_nothing_equal_vectors) {
  matrix<double> given;
  given.count = 3, given.a = given.b = {1.0};
  expect_rows<core::value, way<8>>(given, reduction::sum, element_type::float64, 1, "nothing");
  expect_rows<core::value, way<8>>(given, reduction::mean, element_type::float64, 2, "nothing");
  expect_rows<core::square, way<32>>(given, reduction::nrm2, element_type::float32, 3, "nothing");
  expect_rows<core::product, way<128>>(given, reduction::dot, element_type::float64, 4, "nothing");
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
