// Kernels of lines (batch_kernel.cuh) against the vector call of the CPU, which tests/table compares with the
// oracle.
//
// Matrices of rows by all of the oracle's generators, of every length up to 200 and some beyond, with every number
// of lanes a row, aligned or not, strided, overlapping, and of one repeated vector. Rows next to ties show that
// bounds that are too small give wrong results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <core/reduction.hpp>
#include <cuda/batch_kernel.cuh>
#include <exactdot/reductions.hpp>
#include <string>
#include <vector>

#include "backend.cuh"
#include "missing_gpu.cuh"
#include "oracle/generators.hpp"

namespace exactdot::cuda_engine {
namespace {

class rows : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// Rows of n elements. Strides in elements.
template <class T>
struct matrix {
  std::size_t count = 0, n = 0;
  std::vector<T> a, b;
  std::ptrdiff_t next_a = 0, next_b = 0, stride = 1;

  [[nodiscard]] any_vector row(const std::vector<T>& of, std::ptrdiff_t next, std::size_t i) const {
    return {of.data() + static_cast<std::ptrdiff_t>(i) * next, n, type_of<T>,
            stride * static_cast<std::ptrdiff_t>(sizeof(T))};
  }
};

/// How a launch sums a row, and what the factor and the floor of its bound are multiplied by.
template <int lanes_, int in_flight_ = 4, input_layout layout_ = input_layout::contiguous>
struct way {
  static constexpr int lanes = lanes_, in_flight = in_flight_;
  static constexpr input_layout layout = layout_;
};
/// A block of so many threads for so many columns.
template <int threads_, int columns_, int in_flight_ = 4>
struct columns_of_block {
  static constexpr int threads = threads_, columns = columns_, lanes = threads / columns, in_flight = in_flight_;
};
template <class Way>
concept takes_columns = requires {
  Way::columns;
};
struct bound_choice {
  double factor = 1, floor = 1;
};

class launcher {
 public:
  explicit launcher(unsigned seed = 1) { choose_schedule(stream_, seed); }
  ~launcher() {
    for (const std::string& finding : gpu::findings(stream_)) ADD_FAILURE() << finding;
  }
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;

  /// The results' bits. The inputs begin `skew_a` and `skew_b` elements after an aligned address.
  template <class Term, class Way, class T>
  std::vector<std::uint64_t> results(const matrix<T>& of, core::result_rule rule, unsigned blocks,
                                     std::size_t skew_a = 0, std::size_t skew_b = 0, bound_choice choice = {}) {
    gpu::buffer<T> a(stream_, of.a.size() + skew_a + 4), b(stream_, of.b.size() + skew_b + 4);
    copy(a, of.a, skew_a), copy(b, of.b, skew_b);
    line_operands<T> in;
    in.first = {a.data() + skew_a, Term::inputs == 2 ? b.data() + skew_b : nullptr, of.stride, of.stride, of.n};
    in.next_a = of.next_a, in.next_b = of.next_b, in.count = of.count;
    return results(of.count, of.n, rule,
                   [&](const line_results& to) { launch<T, Term, Way>(in, to, blocks, choice); });
  }

  /// The bits that enqueue(destination) stores for `count` lines of n elements.
  template <class Enqueue>
  std::vector<std::uint64_t> results(std::size_t count, std::size_t n, core::result_rule rule, Enqueue enqueue) {
    gpu::buffer<unsigned> status(stream_, 1);
    status.fill_zero();
    constexpr std::size_t distance = 2;  // of the results
    gpu::buffer<std::uint64_t> out(stream_, distance * count + 1);
    const std::vector<std::uint64_t> unwritten(out.size(), 0x5a5a5a5a5a5a5a5a);
    out.copy_from(unwritten.data(), unwritten.size());
    line_results to;
    to.first = reinterpret_cast<char*>(out.data()), to.next = distance * sizeof(std::uint64_t);
    to.to.rule = rule, to.to.count = n, to.to.status = status.data();
    enqueue(to);
    gpu::synchronise(stream_);
    std::vector<std::uint64_t> all(out.size()), found(count);
    out.copy_to(all.data(), all.size());
    const int bytes = rule.bytes();
    const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = all[distance * i] & mask;
      EXPECT_EQ(all[distance * i] & ~mask, unwritten[0] & ~mask) << "bytes behind result " << i;
      EXPECT_EQ(all[distance * i + 1], unwritten[0]) << "memory behind result " << i;
    }
    return found;
  }

  [[nodiscard]] gpu::stream& stream() { return stream_; }

 private:
  template <class T, class Term, class Way>
  void launch(const line_operands<T>& in, const line_results& to, unsigned blocks, bound_choice choice) {
    error_bound bound =
        bound_of_line(in.first.n, Way::lanes, Way::in_flight, pack<T>::count, core::streams_of<Term, T> == 2);
    bound.factor *= choice.factor, bound.floor *= choice.floor;
    if constexpr (takes_columns<Way>) {
      constexpr auto kernel = column_kernel<T, Term, Way::threads, Way::columns, Way::in_flight>;
      gpu::launch(kernel, blocks, Way::threads, 0, stream_, in, bound, to);
    } else if constexpr (Way::lanes > 32) {
      constexpr auto kernel = long_line_kernel<T, Term, Way::layout, Way::lanes, Way::in_flight>;
      gpu::launch(kernel, blocks, Way::lanes, 0, stream_, in, bound, to);
    } else {
      constexpr int threads = 64;
      constexpr auto kernel = short_line_kernel<T, Term, Way::layout, threads, Way::lanes, Way::in_flight>;
      gpu::launch(kernel, blocks, threads, 0, stream_, in, bound, to);
    }
  }
  template <class T>
  static void copy(gpu::buffer<T>& to, const std::vector<T>& from, std::size_t skew) {
    std::vector<T> all(to.size(), T(NAN));
    std::copy(from.begin(), from.end(), all.begin() + static_cast<std::ptrdiff_t>(skew));
    to.copy_from(all.data(), all.size());
  }
  gpu::stream stream_;
};

template <class T>
std::uint64_t expected(const matrix<T>& of, reduction what, element_type type, std::size_t i) {
  const options options{.device = device::cpu};
  const any_vector a = of.row(of.a, of.next_a, i), b = of.row(of.b, of.next_b, i);
  if (what == reduction::dot) return exactdot::dot(a, b, type, options).bits;
  return exactdot::reduce(what, a, type, options).bits;
}

/// One launch, and a vector call for each row.
template <class Term, class Way, class T>
void expect_rows(const matrix<T>& of, reduction what, element_type type, unsigned seed, const std::string& name) {
  launcher on(seed);
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const std::size_t skew_a = seed % 4, skew_b = seed / 4 % 3 == 0 ? seed / 12 % 4 : skew_a;
  const auto found = on.results<Term, Way>(of, rule, 1 + seed % 3, skew_a, skew_b);
  for (std::size_t i = 0; i < of.count; ++i) {
    ASSERT_EQ(found[i], expected(of, what, type, i))
        << name << ": " << name_of(what) << " to " << name_of(type) << " of row " << i << " of " << of.count
        << " by " << of.n << ", " << Way::lanes << " lanes, seed " << seed << std::hexfloat << ", first element "
        << (of.n == 0 ? 0.0 : static_cast<double>(*static_cast<const T*>(of.row(of.a, of.next_a, i).data)));
  }
}

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
void expect_generated_rows(std::size_t repeats, std::size_t longest, unsigned salt) {
  const std::size_t kinds = oracle::generators<T>().size();
  for (std::size_t i = 0; i < repeats; ++i) {
    const auto seed = static_cast<unsigned>(i * 7 + salt);
    oracle::rng random(seed);
    const std::size_t count = 1 + random.below(24), n = random.below(longest + 1), gap = random.below(4);
    const auto given = rows_of<T>(random, count, n, gap, random.below(kinds));
    expect_any<Way>(given, seed, "generated");
    expect_dots<Way>(given, seed, "generated");
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class Way>
void expect_rows_of_all_kinds(std::size_t repeats, std::size_t longest, unsigned salt) {
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
  for (unsigned i = 0; i < 40; ++i) {
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

/// The rows of a matrix as columns of its transpose.
template <class T>
matrix<T> transposed(const matrix<T>& of) {
  matrix<T> made = of;
  made.stride = static_cast<std::ptrdiff_t>(of.count);
  made.next_a = made.next_b = 1;
  made.a.resize(of.count * of.n + 1), made.b.resize(of.count * of.n + 1);
  for (std::size_t i = 0; i < of.count; ++i) {
    for (std::size_t k = 0; k < of.n; ++k) {
      made.a[k * of.count + i] = of.a[i * static_cast<std::size_t>(of.next_a) + k];
      made.b[k * of.count + i] = of.b[i * static_cast<std::size_t>(of.next_b) + k];
    }
  }
  return made;
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
  expect_columns<columns_of_block<128, 16>, double>(40, 600);
  expect_columns<columns_of_block<128, 8, 8>, float>(20, 700);
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

/// Rows of elements that are converted one by one: random bits, or bytes that are small integers.
struct raw_rows {
  element_type type_a, type_b;
  bool swapped;
  std::size_t count, n;
  std::vector<unsigned char> a, b;

  raw_rows(element_type first, element_type second, unsigned seed)
      : type_a(first), type_b(second), swapped(seed % 3 == 0 && size_of(first) > 1) {
    oracle::rng random(seed);
    count = 1 + random.below(9), n = random.below(90);
    const auto fill = [&](std::vector<unsigned char>& bytes, element_type type) {
      bytes.resize(count * n * size_of(type) + 8);
      for (unsigned char& each : bytes) each = static_cast<unsigned char>(random.bits());
    };
    fill(a, type_a), fill(b, type_b);
  }
  [[nodiscard]] any_vector row(const void* data, element_type type, std::size_t i) const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    return {static_cast<const unsigned char*>(data) + i * n * size_of(type), n, type, size,
            swapped && size_of(type) > 1};
  }
};

template <class T, class Term, int lanes>
void expect_raw_rows(const raw_rows& of, reduction what, element_type type, unsigned seed) {
  launcher on(seed);
  gpu::buffer<unsigned char> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  const any_vector x = of.row(a.data(), of.type_a, 0), y = of.row(b.data(), of.type_b, 0);
  const bool two = Term::inputs == 2;
  line_operands<T, input_layout::any> in;
  in.first.a = {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
  in.first.b = in.first.a;
  if (what == reduction::dot) in.first.b = {static_cast<const char*>(y.data), y.stride, y.type, y.swapped};
  in.first.log2_parts_a = core::parts_of(of.type_a) - 1;
  in.first.log2_parts_b = two ? core::parts_of(in.first.b.type) - 1 : 0;
  in.first.n = of.n << (in.first.log2_parts_a + in.first.log2_parts_b);
  in.next_a = x.stride * static_cast<std::ptrdiff_t>(of.n);
  in.next_b = in.first.b.stride * static_cast<std::ptrdiff_t>(of.n), in.count = of.count;
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const auto found = on.results(of.count, of.n, rule, [&](const line_results& to) {
    const error_bound bound = bound_of_line(in.first.n, lanes, 4, pack<T>::count, core::streams_of<Term, T> == 2);
    if constexpr (lanes > 32) {
      constexpr auto kernel = long_line_kernel<T, Term, input_layout::any, lanes, 4>;
      gpu::launch(kernel, 2, lanes, 0, on.stream(), in, bound, to);
    } else {
      constexpr auto kernel = short_line_kernel<T, Term, input_layout::any, 64, lanes, 4>;
      gpu::launch(kernel, 2, 64, 0, on.stream(), in, bound, to);
    }
  });
  const options options{.device = device::cpu};
  for (std::size_t i = 0; i < of.count; ++i) {
    const any_vector first = of.row(of.a.data(), of.type_a, i), second = of.row(of.b.data(), of.type_b, i);
    const any_scalar right = what == reduction::dot ? exactdot::dot(first, second, type, options)
                                                    : exactdot::reduce(what, first, type, options);
    ASSERT_EQ(found[i], right.bits) << name_of(what) << " of " << name_of(of.type_a) << " and "
                                    << name_of(of.type_b) << " to " << name_of(type) << ", row " << i << " of "
                                    << of.n << ", seed " << seed;
  }
}

template <class T, int lanes>
void expect_raw_rows(element_type first, element_type second, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 8; ++seed) {
    const raw_rows given(first, second, seed);
    const bool whole = is_integer(first) && seed % 2 == 0;
    const element_type floating = seed % 3 == 0 ? element_type::float32 : element_type::float64;
    // integers that always fit
    const element_type of_dot = whole && size_of(first) < 4 ? element_type::int64 : floating;
    const element_type of_sum = whole && size_of(first) < 8 ? element_type::int64 : floating;
    expect_raw_rows<T, core::product, lanes>(given, reduction::dot, of_dot, seed);
    expect_raw_rows<T, core::value, lanes>(given, reduction::sum, of_sum, seed);
    expect_raw_rows<T, core::value, lanes>(given, reduction::mean, element_type::float64, seed);
    if (core::parts_of(first) == 2) {
      expect_raw_rows<T, core::product, lanes>(given, reduction::nrm2, element_type::float64, seed);
    } else {
      expect_raw_rows<T, core::square, lanes>(given, reduction::nrm2, element_type::float64, seed);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_other_elements_equal_vectors) {
  using enum element_type;
  expect_raw_rows<float, 32>(float16, float16, 10);
  expect_raw_rows<float, 32>(bfloat16, float16, 20);
  expect_raw_rows<double, 32>(bfloat16, float64, 30);
  expect_raw_rows<float, 128>(int8, uint16, 40);
  expect_raw_rows<double, 32>(int32, int32, 50);
  expect_raw_rows<double, 128>(int64, uint64, 60);
  expect_raw_rows<double, 32>(float64, float64, 70);  // with swapped bytes, too
}

/// 1 + 2^-53, a tie of doubles, less 5·2^-106; then 20 terms of 3/4·2^-107, which the correction loses. All in the
/// first accumulator of lane 0.
matrix<double> lost_by_corrections(std::size_t lanes) {
  const std::size_t distance = lanes * pack<double>::count;
  matrix<double> made;
  made.count = 5, made.n = 23 * distance, made.next_a = static_cast<std::ptrdiff_t>(made.n);
  made.a.resize(made.count * made.n), made.b.assign(made.n, 1.0);
  for (std::size_t i = 0; i < made.count; ++i) {
    for (std::size_t k = 0; k < 23; ++k) {
      const double value = k == 0 ? 1.0 : k == 1 ? 0x1p-53 : k == 2 ? -5 * 0x1p-106 : 0.75 * 0x1p-107;
      made.a[i * made.n + k * distance] = value;
    }
  }
  return made;
}

template <class Term, class Way, class T>
std::size_t wrong_rows(const matrix<T>& given, reduction what, bound_choice choice) {
  launcher on;
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type_of<T>));
  const auto found = on.results<Term, Way>(given, rule, 2, 0, 0, choice);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < given.count; ++i) wrong += found[i] != expected(given, what, type_of<T>, i) ? 1 : 0;
  return wrong;
}

template <class Way>
void expect_corrections_to_need_their_bound() {
  auto given = lost_by_corrections(Way::lanes);
  if constexpr (takes_columns<Way>) {
    given.next_b = 0;
    std::vector<double> same = given.b;
    for (std::size_t i = 1; i < given.count; ++i) given.b.insert(given.b.end(), same.begin(), same.end());
    given.next_b = given.next_a;
    given = transposed(given);
  }
  EXPECT_EQ((wrong_rows<core::value, Way>(given, reduction::sum, {})), 0U);
  EXPECT_EQ((wrong_rows<core::value, Way>(given, reduction::sum, {1e-4})), given.count);
  EXPECT_EQ((wrong_rows<core::product, Way>(given, reduction::dot, {})), 0U);
  EXPECT_EQ((wrong_rows<core::product, Way>(given, reduction::dot, {1e-4})), given.count);
}

TEST_F(rows, next_to_ties_need_their_bound_and_a_small_part_of_it_does_not_suffice) {
  expect_corrections_to_need_their_bound<way<8>>();
  expect_corrections_to_need_their_bound<way<32>>();
  expect_corrections_to_need_their_bound<way<128>>();
  expect_corrections_to_need_their_bound<columns_of_block<128, 8>>();
}

TEST_F(rows, of_products_that_underflow_need_the_floor) {
  matrix<double> given;
  given.count = 2, given.n = 3000, given.next_a = 3000;
  given.a.assign(6000, 0x1p-540), given.b.assign(3000, 0x1p-540);
  EXPECT_EQ((wrong_rows<core::product, way<32>>(given, reduction::dot, {})), 0U);
  EXPECT_EQ((wrong_rows<core::product, way<32>>(given, reduction::dot, {1, 0})), 2U);
}

/// The most terms that an accumulator of a lane adds, by the loops that the kernels run.
template <class Team, input_layout layout, int in_flight>
__global__ void count_terms(operands<float, input_layout::strided> line, unsigned* most) {
  unsigned terms[pack<float>::count] = {};
  const auto add = [&](const auto& x, const auto&) {
    for (std::size_t i = 0; i < sizeof x / sizeof(float); ++i) ++terms[i % pack<float>::count];
  };
  if constexpr (layout == input_layout::contiguous) {
    for_each_of_contiguous_line<core::product, in_flight, unsigned>(line, Team{}, add);
  } else {
    for_each_pack<core::product, in_flight>(line, Team{}, add);
  }
  for (const unsigned each : terms) atomicMax(most, each);
}

template <class Team, input_layout layout, int in_flight>
void expect_enough_terms(std::size_t n, std::size_t skew_a, std::size_t skew_b) {
  gpu::stream stream;
  gpu::buffer<float> x(stream, n + 8);
  const std::vector<float> ones(n + 8, 1.0F);
  x.copy_from(ones.data(), ones.size());
  gpu::buffer<unsigned> most(stream, 1);
  most.fill_zero();
  const operands<float, input_layout::strided> line{x.data() + skew_a, x.data() + skew_b, 1, 1, n};
  constexpr auto kernel = count_terms<Team, layout, in_flight>;
  gpu::launch(kernel, 1, Team::lanes, 0, stream, line, most.data());
  unsigned counted = 0;
  most.copy_to(&counted, 1);
  const std::size_t bound =
      terms_of_accumulator({n, 1, Team::lanes, last_terms_of_line(Team::lanes, in_flight), pack<float>::count});
  EXPECT_GE(bound, counted) << n << " elements, " << Team::lanes << " lanes, " << skew_a << ' ' << skew_b;
  EXPECT_LE(bound, 2 * counted + 2 * in_flight + 9);
}

TEST_F(rows, have_no_more_terms_in_an_accumulator_than_the_bound_counts) {
  for (const std::size_t n : {0, 1, 3, 6, 7, 8, 15, 31, 33, 64, 100, 129, 1000, 1031}) {
    for (const std::size_t skew : {0, 1, 3}) {
      constexpr auto contiguous = input_layout::contiguous, strided = input_layout::strided;
      expect_enough_terms<lane_team<1>, contiguous, 2>(n, skew, skew);
      expect_enough_terms<lane_team<4>, contiguous, 2>(n, skew, skew);
      expect_enough_terms<lane_team<8>, contiguous, 4>(n, skew, 0);
      expect_enough_terms<lane_team<32>, contiguous, 4>(n, skew, skew);
      expect_enough_terms<block_team<128>, contiguous, 2>(n, 0, skew);
      expect_enough_terms<lane_team<8>, strided, 4>(n, skew, skew);
      expect_enough_terms<block_team<64>, strided, 8>(n, skew, skew);
    }
  }
}

/// What a traced sum of some numbers knows, and the mean that it decides.
struct traced_outcome {
  bool is_exact, is_certain;
  std::uint64_t word;
};
__global__ void trace(const double* x, unsigned n, destination to, traced_outcome* outcome) {
  line_sum<double, core::value> sum{};
  for (unsigned i = 0; i < n; ++i) sum.add_term<core::value>(x[i], x[i]);
  const error_bound bound{0x1p-40, 0};
  const core::decision found = decide<double>(sum, bound, to);
  *outcome = {sum.is_exact(), found.certain, found.word};
}
traced_outcome trace(const std::vector<double>& x, core::finish finish = core::finish::round,
                     element_type type = element_type::float64) {
  gpu::stream stream;
  gpu::buffer<double> values(stream, x.size() + 1);
  gpu::buffer<traced_outcome> outcome(stream, 1);
  values.copy_from(x.data(), x.size());
  destination to;
  to.rule = {finish, core::format_of(type)}, to.count = x.size();
  constexpr void (*kernel)(const double*, unsigned, destination, traced_outcome*) = trace;
  gpu::launch(kernel, 1, 1, 0, stream, static_cast<const double*>(values.data()), static_cast<unsigned>(x.size()),
              to, outcome.data());
  traced_outcome found{};
  outcome.copy_to(&found, 1);
  return found;
}

TEST_F(rows, are_exact_only_if_the_errors_are_below_the_smallest_term) {
  EXPECT_TRUE(trace({}).is_exact);
  const traced_outcome tie = trace({1, 0, 0x1p-53});  // E = 2^-53, the smallest term
  EXPECT_TRUE(tie.is_exact && tie.is_certain);
  EXPECT_EQ(tie.word, core::to_word(1.0));
  EXPECT_FALSE(trace({1, 0x1p-53, 0x1p-54}).is_exact);  // E is more than the smallest term
  EXPECT_FALSE(trace({HUGE_VAL}).is_exact);
}

TEST_F(rows, whose_mean_is_a_tie_are_decided_at_once) {
  std::size_t ties = 0;
  for (std::size_t n = 2; n <= 70; ++n) {
    oracle::rng random(n);
    for (int i = 0; i < 4; ++i) {
      const bool narrow = i % 2 == 0;
      std::vector<double> x(n);
      double rest = 0;
      for (double& each : x) each = static_cast<double>(random.below(2000)) - 1000;
      // n·(a number that lies half way between two results)
      const double mean = narrow ? 3 + 0x1p-23 * static_cast<double>(1 + 2 * random.below(8)) : 3;
      for (std::size_t k = 1; k < n; ++k) rest += x[k];
      x[0] = static_cast<double>(n) * mean - rest;
      if (!narrow)
        x.push_back(static_cast<double>(n + 1) * 0x1p-52), x[0] += 3;  // half an ulp of 3, and one element
      const element_type type = narrow ? element_type::float32 : element_type::float64;
      const traced_outcome found = trace(x, core::finish::quotient, type);
      const any_vector all{x.data(), x.size(), element_type::float64, sizeof(double)};
      if (!found.is_exact) continue;
      ++ties;
      ASSERT_TRUE(found.is_certain) << n << ' ' << i;
      ASSERT_EQ(found.word, exactdot::reduce(reduction::mean, all, type, {.device = device::cpu}).bits)
          << n << ' ' << i;
    }
  }
  EXPECT_GT(ties, 150U);
}

}  // namespace
}  // namespace exactdot::cuda_engine
