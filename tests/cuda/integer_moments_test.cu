// Kernels of variances of 64-bit integers of rows and segments: the oracle's bits and those of the CPU's call, for
// data whose bounds decide and data whose bounds do not; of any stride and byte order.
#include <cuda/work/integer_moments.cuh>

#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "segment_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class integer_moments : public rows {};

/// Integers of a kind: random ones of up to `bits` bits, equal ones, neighbours of a large one, extremes.
std::vector<std::uint64_t> random_integers(oracle::rng& random, std::size_t n) {
  const std::size_t kind = random.below(7);
  const auto bits = static_cast<int>(1 + random.below(64));
  const std::uint64_t base = random.bits() >> random.below(64);
  std::vector<std::uint64_t> made(n);
  for (std::uint64_t& x : made) {
    constexpr std::uint64_t extremes[] = {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0},
                                          0};
    x = kind == 0   ? base
        : kind == 1 ? base + random.below(3)
        : kind == 2 ? extremes[random.below(4)]
        : kind == 3 ? std::uint64_t{1} << random.below(64)
        : kind == 4 ? (random.coin() ? base : std::uint64_t{0} - base)
                    : random.bits() >> (64 - bits);
  }
  if (kind == 1 && n > 2) made[n / 2] = base + 1;
  return made;
}

/// Lines one after the other in a vector of any stride.
struct integer_lines {
  element_type type = element_type::int64;
  bool swapped = false;
  std::size_t step = 1;  ///< of elements
  std::vector<std::uint64_t> offsets = {0}, stored;

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::uint64_t length_of(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
  void append(const std::vector<std::uint64_t>& line) {
    for (const std::uint64_t x : line) {
      stored.push_back(swapped ? __builtin_bswap64(x) : x);
      stored.insert(stored.end(), step - 1, 0x5a5a5a5a5a5a5a5a);
    }
    offsets.push_back(offsets.back() + line.size());
  }
  [[nodiscard]] any_vector line(std::size_t i) const {
    return {stored.data() + offsets[i] * step, length_of(i), type, static_cast<std::ptrdiff_t>(8 * step), swapped};
  }
};

integer_lines random_lines(oracle::rng& random, std::size_t count, std::size_t longest, bool one_length) {
  integer_lines made;
  made.type = random.coin() ? element_type::int64 : element_type::uint64;
  made.swapped = random.below(4) == 0, made.step = 1 + random.below(3);
  const std::size_t length = 1 + random.below(longest);
  for (std::size_t i = 0; i < count; ++i) {
    made.append(random_integers(random, one_length ? length : random.below(longest)));
  }
  return made;
}

/// How lines are launched.
struct integer_launch {
  bool as_rows = false;  ///< of one length, all shared among blocks; else segments
  std::uint64_t long_from = 300, unit = 16;
  unsigned blocks = 2, split_blocks = 3, open_blocks = 2;
  std::uint64_t ddof = 0;
};

template <class Kind = moments_of_integers>
std::vector<std::uint64_t> run(const integer_lines& of, core::result_rule rule, const integer_launch& how,
                               unsigned seed) {
  launcher on(seed);
  gpu::buffer<std::uint64_t> x(on.stream(), of.stored.size() + 1), offsets(on.stream(), of.offsets.size());
  x.copy_from(of.stored.data(), of.stored.size()), offsets.copy_from(of.offsets.data(), of.offsets.size());
  gpu::buffer<line_state> state(on.stream(), 1);
  gpu::buffer<wide_unsigned> bad(on.stream(), 1);
  state.fill_zero(), bad.fill_zero();
  line_source<double, input_layout::any> in;
  const auto stride = static_cast<std::ptrdiff_t>(8 * of.step);
  in.lines.first.a = in.lines.first.b = {reinterpret_cast<const char*>(x.data()), stride, of.type, of.swapped};
  in.lines.count = of.count();
  split_plan plan;
  plan.unit = how.unit;
  if (how.as_rows) {
    in.length = of.length_of(0);
    in.lines.next_a = in.lines.next_b = stride * static_cast<std::ptrdiff_t>(in.length);
  } else {
    in.length = of.offsets.back(), plan.is_listed = true, plan.long_from = how.long_from;
    in.offsets = {reinterpret_cast<const char*>(offsets.data()), 8, true, false};
  }
  const line_request asked{how.ddof, word_of_nothing, word_of_bad};
  auto found = on.results(of.count(), 0, rule, [&](const line_results& to) {
    if (!how.as_rows) {
      const segment_bounds bounds = bounds_of_segments<Kind, input_layout::any>(how.long_from, 0);
      constexpr int threads = 64;
      constexpr auto kernel = segment_kernel<Kind, input_layout::any, threads, 1>;
      gpu::launch(kernel, how.blocks, threads, 0, on.stream(), in, plan, bounds, to, asked, state.data(),
                  bad.data());
    }
    enqueue_split<Kind, input_layout::any>(on.stream(), in, plan, to, asked, state.data(), how.split_blocks,
                                           how.open_blocks);
  });
  line_state after;
  state.copy_to(&after, 1);
  EXPECT_EQ(after.open_count, 0U);
  return found;
}

void expect_lines(const integer_lines& of, reduction what, element_type result, const integer_launch& how,
                  unsigned seed) {
  const core::result_rule rule(core::info_of(what).finish, core::format_of(result));
  const auto found = run(of, rule, how, seed);
  for (std::size_t i = 0; i < of.count(); ++i) {
    const auto ddof = static_cast<std::int64_t>(how.ddof);
    const any_vector x = of.line(i);
    const std::uint64_t of_cpu = exactdot::reduce(what, x, result, {.device = device::cpu}, ddof).bits;
    const std::uint64_t right = oracle::reference(what, x, x, ddof).exact(result).value().bits;
    ASSERT_EQ(of_cpu, right);
    ASSERT_EQ(found[i], x.n == 0 ? word_of_nothing : right)
        << name_of(what) << " of " << name_of(of.type) << " to " << name_of(result) << " of line " << i << " of "
        << of.count() << ", " << x.n << " elements, seed " << seed << (how.as_rows ? ", rows" : ", segments");
  }
}

void expect_random_lines(unsigned seed, bool as_rows) {
  oracle::rng random(seed);
  integer_launch how;
  how.as_rows = as_rows, how.ddof = random.below(3), how.unit = 1 + random.below(200);
  how.long_from = 100 + random.below(600), how.split_blocks = static_cast<unsigned>(1 + random.below(7));
  how.open_blocks = static_cast<unsigned>(1 + random.below(4));
  const std::size_t longest = seed % 3 == 0 ? 12 : seed % 3 == 1 ? 300 : 1500;
  const integer_lines of = random_lines(random, 1 + random.below(as_rows ? 6 : 40), longest, as_rows);
  constexpr element_type results[] = {element_type::float64, element_type::float32, element_type::bfloat16};
  expect_lines(of, random.coin() ? reduction::variance : reduction::stddev, results[random.below(3)], how, seed);
}

TEST_F(integer_moments, of_rows_equal_vectors) {
  for (unsigned seed = 100; seed < 130 && !HasFatalFailure(); ++seed) expect_random_lines(seed, true);
}

TEST_F(integer_moments, of_segments_equal_vectors) {
  for (unsigned seed = 200; seed < 230 && !HasFatalFailure(); ++seed) expect_random_lines(seed, false);
}

/// The largest sums: of the most negative integers, and of the greatest unsigned ones.
TEST_F(integer_moments, of_extremes_equal_vectors) {
  for (const element_type type : {element_type::int64, element_type::uint64}) {
    integer_lines of;
    of.type = type;
    for (const std::size_t n : {1, 2, 9, 300, 2000}) {
      std::vector<std::uint64_t> line(n, type == element_type::int64 ? std::uint64_t{1} << 63 : ~std::uint64_t{0});
      of.append(line);  // equal
      line[n / 2] = 1;
      of.append(line);
    }
    expect_lines(of, reduction::variance, element_type::float64, {}, 1);
    expect_lines(of, reduction::stddev, element_type::float32, {.ddof = 1}, 2);
  }
}

/// Sabotage: a product of halves counts once in the bounded sum, or not at all in the exact one.
struct with_single_products : moments_of_integers {
  struct of_thread : moments_of_integers::of_thread {
    template <int count>
    __device__ __forceinline__ void add(const double (&upper)[count], const double (&lower)[count]) {
      values.add(upper, upper), values.add(lower, lower);
      squares.add(upper, upper), squares.add(upper, lower), squares.add(lower, lower);
    }
  };
};
struct without_products : moments_of_integers {
  template <class Line>
  static __device__ __forceinline__ Line addends_of(Line line, int which) {
    line = moments_of_integers::addends_of(line, which);
    if (which == 1) line.log2_parts_b = 0, line.n /= 2;
    return line;
  }
  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned, const line_bounds&,
                                               storage& storage, refined_sum*, const line_results& out,
                                               std::size_t i, std::uint64_t n, const line_request& asked) {
    moments_again<without_products>(line, team, storage, destination_of(out, i, n), asked.ddof);
  }
};

TEST_F(integer_moments, without_products_of_halves_are_wrong) {
  integer_lines decided, equal;  // but for the last bit
  oracle::rng random(1);
  for (const std::size_t n : {5, 40, 200, 1000}) {
    std::vector<std::uint64_t> line(n);
    for (std::uint64_t& x : line) x = random.bits() >> 20;
    decided.append(line);
    line.assign(n, 0x7123456789abcdef), line[n / 2] -= 1;
    equal.append(line);
  }
  const core::result_rule rule(core::finish::variance, core::format_of(element_type::float64));
  EXPECT_NE(run(decided, rule, {}, 1), run<with_single_products>(decided, rule, {}, 1));
  EXPECT_EQ(run(decided, rule, {}, 1), run<without_products>(decided, rule, {}, 1));
  expect_lines(equal, reduction::variance, element_type::float64, {}, 1);
  EXPECT_NE(run(equal, rule, {}, 1), run<without_products>(equal, rule, {}, 1));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
