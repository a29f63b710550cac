// The bounds of lines' sums (traced_sum.cuh). Rows next to ties show that bounds that are too small give wrong
// results; the loops count no more terms than the bound does; exact sums, and means that are ties, are recognised.
#include "oracle/random.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

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
  expect_corrections_to_need_their_bound<columns_of_block<256, 16>>();
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
}  // namespace exactdot::inline v0_3::cuda_engine
