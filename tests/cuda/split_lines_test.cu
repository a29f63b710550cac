// Kernels of long rows and columns that blocks share, and variances of rows, columns and segments by the same
// kernels: all of the oracle's kinds of data, few and many blocks, units of few elements.
#include "segment_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using split_lines = rows;

/// Rows of at least n elements, each of the next kind of data.
template <class T>
matrix<T> rows_of(oracle::rng& random, std::size_t count, std::size_t n, std::size_t gap) {
  const auto all = oracle::generators<T>();
  std::vector<oracle::vectors<T>> of_row;
  matrix<T> made;
  made.count = count, made.n = n;
  const std::size_t first = random.below(all.size());
  for (std::size_t i = 0; i < count; ++i) {
    of_row.push_back(all[(first + i) % all.size()].make(random, n));
    made.n = std::max(made.n, of_row.back().size());
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

struct shape_of_launch {
  unsigned blocks, open_blocks;
  std::uint64_t unit;
  std::int64_t ddof = 0;
  unsigned parts = 1;    ///< of columns
  bool finishes = true;  ///< the kernel of open lines follows
};

/// The vectors of a matrix in device memory.
template <class T>
struct placed_matrix {
  gpu::buffer<T> a, b;
  line_operands<T> in;

  placed_matrix(gpu::stream& stream, const matrix<T>& of, bool two, std::size_t skew_a, std::size_t skew_b)
      : a(stream, of.a.size() + skew_a + 4), b(stream, of.b.size() + skew_b + 4) {
    copy_input(a, of.a, skew_a), copy_input(b, of.b, skew_b);
    in.first = {a.data() + skew_a, two ? b.data() + skew_b : nullptr, of.stride, of.stride, of.n};
    in.next_a = of.next_a, in.next_b = of.next_b, in.count = of.count;
  }
};

template <class Kind, class T>
void enqueue_rows(gpu::stream& stream, const line_operands<T>& in, const line_results& to,
                  const line_request& asked, line_state* state, const shape_of_launch& shape) {
  split_plan plan;
  plan.unit = shape.unit;
  line_source<T, input_layout::contiguous> source;
  source.lines = in, source.length = in.first.n;
  enqueue_split<Kind, input_layout::contiguous>(stream, source, plan, to, asked, state, shape.blocks,
                                                shape.open_blocks);
}

template <class Kind, int columns, class T>
void enqueue_columns(gpu::stream& stream, const line_operands<T>& in, const line_results& to,
                     const line_request& asked, line_state* state, const shape_of_launch& shape) {
  constexpr int threads = 256, in_flight = 4;
  constexpr auto kernel = split_column_kernel<Kind, input_layout::strided, threads, columns, 1, in_flight, 1>;
  const std::size_t rows = share_rows(in.first.n, shape.parts, threads / columns * in_flight).most();
  gpu::launch(kernel, shape.blocks, threads, 0, stream, in, shape.parts,
              bounds_of_columns<Kind>(rows, threads / columns, in_flight), to, asked, state);
  if (shape.parts == 1 || !shape.finishes) return;
  line_source<T, input_layout::strided> source;
  source.lines = in, source.length = in.first.n;
  constexpr auto open = open_line_kernel<Kind, input_layout::strided, 64>;
  gpu::launch(open, shape.open_blocks, 64, 0, stream, source, to, asked, state);
}

template <class T>
std::uint64_t expected_of(const matrix<T>& of, reduction what, element_type type, std::size_t i,
                          std::int64_t ddof) {
  if (what == reduction::dot) return expected(of, what, type, i);
  return exactdot::reduce(what, of.row(of.a, of.next_a, i), type, {.device = device::cpu}, ddof).bits;
}

/// enqueue(stream, lines, results, asked, state) and a vector call for each row or column.
template <class T, class Enqueue>
void expect_lines(const matrix<T>& of, reduction what, element_type type, const shape_of_launch& shape,
                  unsigned seed, Enqueue enqueue) {
  launcher on(seed);
  const std::size_t skew_a = seed % 4, skew_b = seed / 4 % 3 == 0 ? seed / 12 % 4 : skew_a;
  const placed_matrix<T> placed(on.stream(), of, what == reduction::dot, skew_a, skew_b);
  gpu::buffer<line_state> state(on.stream(), 1);
  state.fill_zero();
  const line_request asked{static_cast<std::uint64_t>(shape.ddof), 0, 0};
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const auto found = on.results(of.count, of.n, rule, [&](const line_results& to) {
    enqueue(on.stream(), placed.in, to, asked, state.data());
  });
  for (std::size_t i = 0; i < of.count; ++i) {
    ASSERT_EQ(found[i], expected_of(of, what, type, i, shape.ddof))
        << name_of(what) << " to " << name_of(type) << " of line " << i << " of " << of.count << ", " << of.n
        << " elements, seed " << seed << ", blocks " << shape.blocks << ", unit " << shape.unit << ", parts "
        << shape.parts;
  }
  line_state after;
  state.copy_to(&after, 1);
  ASSERT_EQ(after.open_count, 0U);
  for (const unsigned each : after.arrived) ASSERT_EQ(each, 0U);
}

shape_of_launch random_shape(oracle::rng& random) {
  shape_of_launch shape{};
  shape.blocks = static_cast<unsigned>(1 + random.below(9)), shape.unit = 1 + random.below(500);
  shape.open_blocks = static_cast<unsigned>(1 + random.below(4));
  shape.ddof = static_cast<std::int64_t>(random.below(2));
  shape.parts = static_cast<unsigned>(1 + random.below(7));
  return shape;
}

/// f(Kind, reduction) in turn.
template <class T, class F>
void with_reduction(unsigned turn, F f) {
  switch (turn % 8) {
    case 0:
      return f(sum_of_terms<T, core::value>{}, reduction::sum);
    case 1:
      return f(sum_of_terms<T, core::value>{}, reduction::mean);
    case 2:
      return f(sum_of_terms<T, core::magnitude>{}, reduction::asum);
    case 3:
      return f(sum_of_terms<T, core::square>{}, reduction::nrm2);
    case 4:
    case 5:
      return f(sum_of_terms<T, core::product>{}, reduction::dot);
    case 6:
      return f(moments_of_line<T>{}, reduction::variance);
    default:
      return f(moments_of_line<T>{}, reduction::stddev);
  }
}
template <class T>
element_type type_of_turn(unsigned turn) {
  constexpr element_type types[] = {type_of<T>, element_type::float32, element_type::float64};
  return types[turn % 3];
}

template <class T>
void expect_split_rows(unsigned salt) {
  for (unsigned i = 0; i < static_cast<unsigned>(oracle::scaled(40)); ++i) {
    const unsigned seed = salt + 5 * i;
    oracle::rng random(seed);
    const auto given = rows_of<T>(random, 1 + random.below(6), 1 + random.below(3000), random.below(4));
    const shape_of_launch shape = random_shape(random);
    with_reduction<T>(i, [&]<class Kind>(Kind, reduction what) {
      expect_lines(given, what, type_of_turn<T>(i / 8), shape, seed,
                   [&](auto&&... arguments) { enqueue_rows<Kind, T>(arguments..., shape); });
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(split_lines, of_rows_equal_vectors) {
  expect_split_rows<float>(1000);
  expect_split_rows<double>(2000);
}

template <class T, int columns>
void expect_split_columns(unsigned salt) {
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned seed = salt + 5 * i;
    oracle::rng random(seed);
    const auto given = transposed(rows_of<T>(random, 1 + random.below(40), 1 + random.below(900), 0));
    const shape_of_launch shape = random_shape(random);
    with_reduction<T>(i, [&]<class Kind>(Kind, reduction what) {
      expect_lines(given, what, type_of_turn<T>(i / 8), shape, seed,
                   [&](auto&&... arguments) { enqueue_columns<Kind, columns, T>(arguments..., shape); });
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(split_lines, of_columns_equal_vectors) {
  expect_split_columns<float, 32>(3000);
  expect_split_columns<double, 8>(4000);
}

/// Segments, whose lengths differ.
template <class T>
void expect_moments_of_segments(unsigned salt) {
  for (unsigned i = 0; i < 12; ++i) {
    const unsigned seed = salt + 7 * i;
    oracle::rng random(seed);
    std::vector<std::size_t> lengths(1 + random.below(50));
    for (std::size_t& n : lengths) n = random.below(i % 3 == 0 ? 40 : i % 3 == 1 ? 300 : 1500);
    segment_launch how;
    how.ddof = static_cast<std::int64_t>(i % 2), how.long_from = i < 6 ? 200 : 2000, how.split_blocks = 1 + i;
    const auto given = stretches_of<T>(random, lengths, random.below(50));
    const reduction what = i % 2 == 0 ? reduction::variance : reduction::stddev;
    expect_segments<moments_of_line<T>>(given, what, type_of_turn<T>(i), how, seed, "moments");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(split_lines, of_segments_have_the_variances_of_vectors) {
  expect_moments_of_segments<float>(5000);
  expect_moments_of_segments<double>(6000);
}

/// Lines whose result no bound decides are left to the second kernel; without it they stay unwritten.
TEST_F(split_lines, that_cancel_need_the_kernel_of_open_lines) {
  matrix<double> given;
  given.count = 3, given.n = 600;
  for (std::size_t i = 0; i < given.count; ++i) {
    for (std::size_t k = 0; k < given.n / 2; ++k) {
      const double x = std::ldexp(1.0 + static_cast<double>(k), static_cast<int>(k) - 100);
      given.a.push_back(x), given.a.push_back(k == 7 ? 1 - x : -x);
    }
  }
  given.b = given.a, given.next_a = given.next_b = 600;
  const auto columns = transposed(given);
  using sums = sum_of_terms<double, core::value>;
  shape_of_launch shape{3, 2, 16, 0, 3};
  expect_lines(columns, reduction::sum, element_type::float64, shape, 1,
               [&](auto&&... arguments) { enqueue_columns<sums, 8, double>(arguments..., shape); });
  shape.finishes = false;
  launcher on;
  const placed_matrix<double> placed(on.stream(), columns, false, 0, 0);
  gpu::buffer<line_state> state(on.stream(), 1);
  state.fill_zero();
  const core::result_rule rule(core::finish::round, core::format_of(element_type::float64));
  const auto found = on.results(3, 600, rule, [&](const line_results& to) {
    enqueue_columns<sums, 8, double>(on.stream(), placed.in, to, line_request{}, state.data(), shape);
  });
  for (const std::uint64_t word : found) EXPECT_EQ(word, 0x5a5a5a5a5a5a5a5aU);
}

/// Equal elements have a variance of 0, which no bound decides; float32 ones need no second read.
TEST_F(split_lines, of_equal_elements_have_no_variance) {
  stretches<float> given;
  for (std::size_t i = 0; i < 6; ++i) {
    given.a.insert(given.a.end(), 50 + 100 * i, i == 0 ? 0.0F : 0.1F * static_cast<float>(i));
    given.offsets.push_back(given.a.size());
  }
  given.b = given.a;
  segment_launch how;
  how.long_from = 400;
  expect_segments<moments_of_line<float>>(given, reduction::variance, element_type::float64, how, 1, "equal");
  segment_launch of_sample = how;  // of one element there is none, and of a sample of one NaN
  stretches<double> ones;
  ones.a = {3, 1e-300, -5, HUGE_VAL, NAN, 7, 7}, ones.b = ones.a, ones.offsets = {0, 1, 2, 3, 4, 5, 7};
  expect_segments<moments_of_line<double>>(ones, reduction::variance, element_type::float64, how, 3, "ones");
  of_sample.ddof = 1;
  expect_segments<moments_of_line<double>>(ones, reduction::stddev, element_type::float32, of_sample, 4, "ones");
  stretches<double> zeros;
  zeros.a.assign(100, 0.0), zeros.b = zeros.a, zeros.offsets = {0, 40, 100};
  expect_segments<moments_of_line<double>>(zeros, reduction::stddev, element_type::float64, how, 2, "zeros");
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
