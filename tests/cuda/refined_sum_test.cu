// Refined sums (refined_sum.cuh): of terms that cancel, and of doubles that overflow or underflow.
//
// Every result has the bits of the CPU. The device state counts launches that went on to the second level, so a
// case also says whether the refined sum must decide it. Launches with too small a bound must give wrong results.
#include <gtest/gtest.h>

#include <cmath>
#include <cuda/shape/exact_vector.cuh>
#include <exactdot/reductions.hpp>
#include <random>
#include <vector>

#include "backend.cuh"
#include "exact_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class refined_sums : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

using kernel = kernel_choice<128, 4, compensated>;
using clustered = kernel_choice<128, 4, compensated, kernel_variant{true}>;
/// Between terms of the same accumulator.
template <class Kernel, class T = double>
constexpr std::size_t stride_of = std::size_t{Kernel::threads} * pack<T>::count;
constexpr std::size_t stride = stride_of<kernel>;
constexpr double greatest = 0x1.fffffffffffffp1023, infinity = HUGE_VAL;
const options on_cpu = {.device = device::cpu};

using values = std::vector<std::pair<double, double>>;

/// The terms `distance` elements apart, among `n` elements of zero, the first at `first`.
terms<double> spread(const values& of, std::size_t n, std::size_t first, std::size_t distance) {
  terms<double> made{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < of.size(); ++i) {
    made.a[first + i * distance] = of[i].first, made.b[first + i * distance] = of[i].second;
  }
  return made;
}

template <class R = double>
R exactly(const terms<double>& given) {
  return dot<R>(std::span<const double>(given.a), std::span<const double>(given.b), on_cpu);
}

enum class by { refined, second_level, either };

template <class Kernel = kernel>
void expect_bits(const terms<double>& given, unsigned blocks, by decided, const char* name, unsigned seed = 1) {
  exact_launcher on(seed);
  const auto found = on.result<double, core::product, Kernel>(given, blocks), right = exactly(given);
  EXPECT_EQ(core::to_word(found), core::to_word(right))
      << name << ", " << blocks << " blocks: " << found << ' ' << right;
  if (decided == by::either) return;
  EXPECT_EQ(on.state().exchange.undecided_refined, decided == by::refined ? 0U : 1U)
      << name << ", " << blocks << " blocks, seed " << seed;
}

struct example {
  const char* name;
  by decided;
  values of;
};

void expect_examples(const std::vector<example>& examples) {
  for (const example& each : examples) {
    const terms<double> in_one_accumulator = spread(each.of, 3000, 5, stride);
    expect_bits(spread(each.of, 1000, 77, 1), 1, each.decided, each.name);
    expect_bits(in_one_accumulator, 3, each.decided, each.name);
    if (has_variants()) expect_bits<clustered>(in_one_accumulator, 3, each.decided, each.name);
  }
}

TEST_F(refined_sums, decides_sums_that_overflow) {
  expect_examples({
      {"overflow", by::refined, {{greatest, 1}, {greatest, 1}}},
      {"negative overflow", by::refined, {{greatest, -1}, {-greatest, 1}}},
      {"product that overflows", by::refined, {{0x1p1000, -0x1p30}, {1, 1}}},
      {"greatest product", by::refined, {{greatest, greatest}, {greatest, greatest}, {-greatest, greatest}}},
      {"overflow in between", by::refined, {{greatest, 1}, {greatest, 1}, {-greatest, 1}, {-0x1p1023, 1}}},
      {"products that nearly cancel", by::refined, {{0x1p1000, 0x1p1000}, {-0x1p1000, 0x1.fffffffffffffp999}}},
      {"moderate among huge", by::refined, {{0x1p1020, 0x1p1020}, {0x1p1000, 0x1p-1000}, {0x1p-1074, 0x1p-1074}}},
      {"huge products cancel", by::second_level, {{0x1p1000, 0x1p1000}, {-0x1p1000, 0x1p1000}, {3, 1}}},
      {"greatest number", by::refined, {{greatest, 1}}},
  });
}

/// Sums from 2^1024 - 2^970 on, a tie, round to infinity.
TEST_F(refined_sums, decides_next_to_the_overflow_threshold_and_not_at_it) {
  for (const double sign : {1.0, -1.0}) {
    const double top = sign * greatest;
    expect_examples({
        {"threshold", by::second_level, {{top, 1}, {sign * 0x1p970, 1}}},
        {"just below", by::second_level, {{top, 1}, {sign * 0x1.fffffffffffffp969, 1}}},
        {"far below", by::second_level, {{top, 1}, {sign * 0x1p970, 1}, {-0x1p-1074, sign}}},
        {"below", by::refined, {{top, 1}, {sign * 0x1.ffffffffp969, 1}}},
        {"above", by::refined, {{top, 1}, {sign * 0x1.00000001p970, 1}}},
        {"half an ulp less", by::refined, {{top, 1}, {-sign * 0x1.00000001p970, 1}}},
    });
  }
}

TEST_F(refined_sums, decides_products_that_underflow) {
  for (const double sign : {1.0, -1.0}) {
    expect_examples({
        {"least product", by::refined, {{sign * 0x1p-1074, 0x1p-1074}}},
        {"least number", by::refined, {{sign * 0x1p-1074, 1}}},
        {"tie", by::second_level, {{sign * 0x1p-1074, 0.5}}},
        {"next to a tie", by::second_level, {{sign * 0x1p-1074, 0.5}, {sign * 0x1p-1074, 0x1p-1074}}},
        {"below a tie", by::refined, {{sign * 0x1p-1074, 0.5}, {-sign * 0x1p-1074, 0x1p-40}}},
        {"above a tie", by::refined, {{sign * 0x1p-1074, 0.5}, {sign * 0x1p-1074, 0x1p-40}}},
        {"odd tie", by::second_level, {{sign * 0x1p-1074, 1.5}}},
        {"subnormal", by::refined, {{sign * 0x1.1p-530, 0x1.3p-530}, {sign * 0x1p-1074, 0.25}}},
        {"normal", by::refined, {{sign * 0x1.23456789abcdep-507, 0x1.3p-507}, {sign * 0x1p-1074, 0.25}}},
        {"least normal number", by::either, {{sign * 0x1p-1022, 1}, {-sign * 0x1p-1074, 0x1p-30}}},
        {"twice that", by::refined, {{sign * 0x1p-1021, 1}, {-sign * 0x1p-1074, 0x1p-30}}},
        {"cancels", by::either, {{sign * 0x1p-600, 0x1p-600}, {-sign * 0x1p-600, 0x1p-600}}},
        {"nearly cancels", by::refined, {{sign * 0x1p-600, 0x1p-600}, {-sign * 0x1p-600, 0x1.000001p-600}}},
        {"factor without room", by::second_level, {{sign * 0x1p-540, 0x1.8p-540}, {0x1p500, 0}}},
    });
  }
  expect_examples({{"zeros", by::refined, {{0, 0}}},
                   {"negative zeros", by::refined, {{-0.0, 1}, {0x1p-1074, -0.0}}},
                   {"zeros by great factors", by::second_level, {{-0.0, 0x1p1000}}}});
}

TEST_F(refined_sums, leaves_special_values_to_the_second_level) {
  expect_examples({{"infinity", by::second_level, {{infinity, 1}, {2, 1}}},
                   {"negative infinity beats overflow", by::second_level, {{greatest, 2}, {-infinity, 1}}},
                   {"infinities of both signs", by::second_level, {{infinity, 1}, {1, -infinity}}},
                   {"infinity by zero", by::second_level, {{infinity, 0}}},
                   {"NaN", by::second_level, {{std::nan(""), 1}, {greatest, greatest}}},
                   {"infinity by a subnormal", by::second_level, {{infinity, -0x1p-1074}}}});
}

/// Exponents over the whole range, as of the data set `wide` of the benchmark.
double draw_wide(std::mt19937& random, int lowest, int highest) {
  const int exponent = lowest + static_cast<int>(random() % static_cast<unsigned>(highest - lowest));
  return std::ldexp((random() % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(random()) * 0x1p-32), exponent);
}

TEST_F(refined_sums, decides_data_of_extreme_exponents) {
  std::mt19937 random(5);
  for (const std::size_t n : {1, 1500}) {
    terms<double> wide = spread({}, n, 0, 1), subnormal = wide, sorted = wide;
    for (std::size_t i = 0; i < n; ++i) {
      wide.a[i] = draw_wide(random, -1074, 1024), wide.b[i] = draw_wide(random, -1074, 1024);
      subnormal.a[i] = draw_wide(random, -1074, -1022), subnormal.b[i] = draw_wide(random, -1074, -1022);
      sorted.a[i] = std::ldexp(1.25, -1021 + static_cast<int>(2043 * i / n)), sorted.b[i] = draw_wide(random, 0, 1);
    }
    wide.a[0] = 0x1p1000, wide.b[n / 2] = 0x1p1000, wide.a[n / 2] = 0x1.8p1010, sorted.a[n - 1] = 0x1p1022;
    for (const unsigned blocks : {1U, 7U, 19U}) {
      for (const unsigned seed : {1U, 4U}) {
        // blocks may be late: of more than are resident, and of many in lock step
        const by decided = blocks <= (seed == 4 ? 2 : 7) ? by::refined : by::either;
        expect_bits(wide, blocks, decided, "wide", seed);
        expect_bits(subnormal, blocks, decided, "subnormal", seed);
        expect_bits(sorted, blocks, decided, "sorted", seed);
      }
    }
  }
}

/// Roots, quotients, and other formats, of sums, squares and products.
template <class R, class Term>
void expect_finish(core::finish finish, const terms<double>& given, R right, const char* name) {
  for (const unsigned blocks : {1U, 3U}) {
    exact_launcher on;
    gpu::buffer<R> value(on.stream(), 1);
    destination to = value_at(value.data());
    to.rule = {finish, core::format_of(type_of<R>)};
    to.count = given.a.size();
    on.launch<Term, kernel>(given, blocks, to);
    R found{};
    value.copy_to(&found, 1);
    EXPECT_EQ(core::to_word(found), core::to_word(right)) << name;
    EXPECT_EQ(on.state().exchange.undecided_refined, 0U) << name;
  }
}

TEST_F(refined_sums, decides_every_finish) {
  std::mt19937 random(6);
  for (const int lowest : {1000, -1040}) {
    terms<double> given = spread({}, 700, 0, 1);
    for (double& x : given.a) x = draw_wide(random, lowest, lowest + 24);
    for (double& x : given.b) x = draw_wide(random, lowest, lowest + 24);
    const std::span<const double> a(given.a), b(given.b);
    expect_finish<double, core::square>(core::finish::root, given, nrm2<double>(a, on_cpu), "norm");
    expect_finish<double, core::square>(core::finish::round, given, sum_of_squares<double>(a, on_cpu), "squares");
    expect_finish<float, core::product>(core::finish::round, given, dot<float>(a, b, on_cpu), "float");
    if (lowest > 0)
      expect_finish<double, core::value>(core::finish::quotient, given, mean<double>(a, on_cpu), "mean");
    expect_finish<double, core::value>(core::finish::round, given, sum<double>(a, on_cpu), "sum");
    expect_finish<double, core::magnitude>(core::finish::round, given, asum<double>(a, on_cpu), "magnitudes");
    expect_finish<float, core::square>(core::finish::root, given, nrm2<float>(a, on_cpu), "norm to float");
  }
}

double with_bound(const terms<double>& given, bound_choice bound) {
  return exact_launcher().result<double, core::product, kernel>(given, 1, bound);
}

/// Huge products cancel, so that only the floor is left of the bound: `factor` is 0. Other elements lose 2^-651
/// each in scaled units, 2^561 in all, which leads the sum across a tie.
TEST_F(refined_sums, includes_what_small_factors_lose) {
  constexpr std::size_t n = 4096;
  constexpr double lost = 0x1.fffffffffffffp-476;  // scaled below half the least subnormal number
  values of = {{0x1p1000, 0x1p1000}, {-0x1p1000, 0x1p1000}};
  of.insert(of.end(), {{0x1p310, 0x1p310}, {0x1p310, 0x1p257}, {-0x1p310, 0x1p250}});  // a tie, less 2^560
  terms<double> given = spread(of, n, 0, stride);
  for (std::size_t i = 0; i < n; ++i) {
    if (given.a[i] == 0) given.a[i] = lost, given.b[i] = greatest;
  }
  const double right = exactly(given);
  EXPECT_EQ(right, 0x1.0000000000001p620);
  EXPECT_EQ(with_bound(given, {}), right);
  EXPECT_EQ(with_bound(given, {0, 1, 0}), right);
  EXPECT_EQ(with_bound(given, {0, 0x1p-4, 0}), 0x1p620);
}

TEST_F(refined_sums, includes_products_that_scaling_makes_underflow) {
  const terms<double> given = spread({{0x1p1000, 0x1p1000}, {-0x1p1000, 0x1p1000}, {-1, 1}}, 1000, 0, stride);
  EXPECT_EQ(with_bound(given, {0, 1, 0}), -1);
  EXPECT_EQ(with_bound(given, {0, 0, 0}), 0);
}

TEST_F(refined_sums, includes_numbers_that_scaling_makes_subnormal) {
  const terms<double> given =
      spread({{greatest, 0}, {greatest, 0}, {-greatest, 0}, {-greatest, 0}, {0x1p-500, 0}}, 2000, 0, stride);
  EXPECT_EQ((exact_launcher().result<double, core::value, kernel>(given, 1, {0, 1, 0})), 0x1p-500);
}

/// 20 terms of 3/4 of 2^-218, which four components lose that greater terms take; these cancel later. Then a tie of
/// 2^-112 less 12·2^-218. Times scale_a·scale_b, a power of two.
values lost_by_refined_sums(double scale_a, double scale_b) {
  const auto term = [&](double a, double b) { return std::pair{a * scale_a, b * scale_b}; };
  values of = {term(1, 1), term(1, 0x1p-54), term(1, 0x1p-110), term(0x1p-64, 0x1p-100)};
  of.insert(of.end(), 20, term(0.75 * 0x1p-109, 0x1p-109));
  of.insert(of.end(), {term(-0x1p-64, 0x1p-100), term(-1, 0x1p-110), term(-1, 0x1p-54), term(-1, 1)});
  of.insert(of.end(), {term(1, 0x1p-112), term(0x1p-65, 0x1p-100), term(-12 * 0x1p-109, 0x1p-109)});
  return of;
}

template <class Kernel, class T = double>
void expect_to_need_the_bound(double scale_a, double scale_b) {
  const values of = lost_by_refined_sums(scale_a, scale_b);
  const terms<double> made = spread(of, of.size() * stride_of<Kernel, T>, 0, stride_of<Kernel, T>);
  const terms<T> given{{made.a.begin(), made.a.end()}, {made.b.begin(), made.b.end()}};
  const double right = exactly(made);
  EXPECT_EQ((exact_launcher().result<double, core::product, Kernel>(given, 1)), right);
  EXPECT_NE((exact_launcher().result<double, core::product, Kernel>(given, 1, {1, 1, 1e-4})), right);
}

TEST_F(refined_sums, need_their_bound) {
  expect_to_need_the_bound<kernel>(1, 1);
  expect_to_need_the_bound<kernel, float>(1, 1);
  expect_to_need_the_bound<kernel_choice<128, 2, grouped>, float>(1, 1);
  if (has_variants()) expect_to_need_the_bound<clustered>(1, 1);
}

/// Not of great factors: sums that lose so much are subnormal then, and next to ties these stay undecided anyway.
TEST_F(refined_sums, of_small_factors_need_their_bound) { expect_to_need_the_bound<kernel>(0x1p512, 0x1p511); }

/// Condition numbers from 2^60 to 2^140: uniform terms, then their negatives, then small ones.
template <class Kernel, class T>
void expect_cancelling_sums_to_be_decided() {
  std::mt19937 random(8);
  for (const int exponent : {60, 100, 140}) {
    for (const std::size_t n : {24, 1500}) {
      terms<T> given{std::vector<T>(n), std::vector<T>(n)};
      const std::size_t half = (n - 1) / 2;
      for (std::size_t i = 0; i < half; ++i) {
        given.a[i] = static_cast<T>(draw_wide(random, 0, 4)), given.b[i] = static_cast<T>(draw_wide(random, 0, 4));
        given.a[n - 1 - i] = -given.a[i], given.b[n - 1 - i] = given.b[i];
      }
      given.a[half] = static_cast<T>(draw_wide(random, -exponent / 2, 1 - exponent / 2));
      given.b[half] = static_cast<T>(draw_wide(random, -exponent / 2, 1 - exponent / 2));
      const double right = dot<double>(std::span<const T>(given.a), std::span<const T>(given.b), on_cpu);
      for (const unsigned blocks : {1U, 3U}) {
        exact_launcher on;  // in lock step one of three blocks may be late
        EXPECT_EQ((on.result<double, core::product, Kernel>(given, blocks)), right) << exponent << ' ' << n;
        EXPECT_EQ(on.state().exchange.undecided, 1U) << exponent << ' ' << n;
        EXPECT_EQ(on.state().exchange.undecided_refined, 0U) << exponent << ' ' << n;
      }
    }
  }
}

TEST_F(refined_sums, decide_sums_that_cancel) {
  expect_cancelling_sums_to_be_decided<kernel, double>();
  expect_cancelling_sums_to_be_decided<kernel, float>();
  expect_cancelling_sums_to_be_decided<kernel_choice<128, 2, grouped>, float>();
  if (!has_variants()) return;
  expect_cancelling_sums_to_be_decided<clustered, double>();
  expect_cancelling_sums_to_be_decided<kernel_choice<128, 1, plain, kernel_variant{true}>, float>();
}

/// Sums of floats that are exact in two doubles: ties of every format too.
template <class R>
void expect_ties_to_be_decided(int precision) {
  for (const double sign : {1.0, -1.0}) {
    for (const double last : {0x1p-100, 0.0, -0x1p-100}) {
      for (const double odd : {0.0, std::ldexp(1, 1 - precision)}) {
        const double tie = std::ldexp(1, -precision);
        const terms<double> made =
            spread({{sign, 1}, {sign * odd, 1}, {sign * tie, 1}, {sign * last, 1}}, 900, 3, 250);
        const terms<float> given{{made.a.begin(), made.a.end()}, {made.b.begin(), made.b.end()}};
        exact_launcher on;
        EXPECT_EQ(core::to_word(on.result<R, core::product, kernel>(given, 2)), core::to_word(exactly<R>(made)))
            << precision << ' ' << odd << ' ' << last;
        EXPECT_EQ(on.state().exchange.undecided_refined, 0U);
      }
    }
  }
}

TEST_F(refined_sums, of_floats_decide_ties) {
  expect_ties_to_be_decided<double>(53);
  expect_ties_to_be_decided<float>(24);
  expect_ties_to_be_decided<float16>(11);
  expect_ties_to_be_decided<bfloat16>(8);
}

/// The same messages and claims serve launches that follow each other, also where the flag wraps around.
TEST_F(refined_sums, shares_one_device_state_with_other_launches) {
  const terms<double> wide = spread({{greatest, 2}, {1, 1}, {greatest, 3}}, 900, 3, 250);
  const terms<double> plain = spread({{3, 2}, {1, 1}}, 900, 3, 250);
  const terms<double> cancels = spread({{greatest, 2}, {3, 1}, {-greatest, 2}}, 900, 3, 250);
  for (const wide_unsigned launches : {0ULL, 0xfffffffcULL, 0xfffffffeULL}) {
    exact_launcher on(3);
    on.set_launches(launches);
    for (int round = 0; round < 3; ++round) {
      for (const auto* given : {&wide, &plain, &wide, &cancels, &wide}) {
        for (const unsigned blocks : {3U, 12U}) {
          const auto found = on.result<double, core::product, kernel>(*given, blocks);
          EXPECT_EQ(core::to_word(found), core::to_word(exactly(*given))) << launches << ' ' << round;
        }
      }
    }
    EXPECT_EQ(on.state().exchange.contributions, 0U);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
