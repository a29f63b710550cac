// The CPU's bounded, refined and exact sums: the exact sum lies within their bounds, on every instruction set, for
// the data of all generators; and aimed data whose errors nearly reach the bound, so that a smaller one would be
// noticed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cpu/kernels.hpp>
#include <cstdlib>
#include <exactdot/core/decompose.hpp>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;
namespace core = exactdot::core;

/// sum += x·2^exponent, exactly.
void add_scaled(oracle::integer_sum& sum, double x, int exponent) {
  if (x == 0) return;
  const int size = std::ilogb(x), up = std::clamp(exponent, -1074 - size + 52, 1023 - size);
  const double left = std::ldexp(x, up), right = std::ldexp(1.0, exponent - up);
  ASSERT_EQ(std::ldexp(left, -up), x) << "the test cannot represent " << x << " 2^" << exponent;
  sum.add(left, right);
}

template <class Term, class T>
oracle::integer_sum exact_sum(const T* a, const T* b, std::size_t n) {
  oracle::integer_sum sum;
  for (std::size_t i = 0; i < n; ++i) {
    const T x = Term::absolute ? std::abs(a[i]) : a[i];
    sum.add(x, Term::inputs == 2 ? b[i] : Term::factors == 2 ? x : T{1});
  }
  return sum;
}

/// |exact sum - approximation|, and the bound on it, rounded.
struct deviation {
  double error, bound;
};

template <class Term, class T>
deviation deviation_of(const T* a, const T* b, std::size_t n, const std::vector<double>& parts, double bound,
                       int exponent) {
  oracle::integer_sum sum = exact_sum<Term>(a, b, n);
  for (const double part : parts) add_scaled(sum, -part, exponent);
  return {std::abs(sum.round<double>()), std::ldexp(bound, exponent)};
}

template <class Term, class T>
deviation deviation_of_bounded(const T* a, const T* b, std::size_t n, const bounded_sum& sum) {
  return deviation_of<Term>(a, b, n, {sum.head, sum.tail}, sum.bound, sum.exponent);
}
template <class Term, class T>
deviation deviation_of_refined(const T* a, const T* b, std::size_t n, const refined_sum& sum) {
  std::vector<double> parts;
  for (const std::int64_t digit : sum.digit) {
    parts.push_back(std::ldexp(static_cast<double>(digit), -extraction_width * static_cast<int>(parts.size())));
  }
  return deviation_of<Term>(a, b, n, parts, sum.bound, sum.exponent);
}

bool is_finite(const bounded_sum& sum) { return sum.bound < HUGE_VAL && std::abs(sum.head + sum.tail) < HUGE_VAL; }

template <class T>
double largest_product(const oracle::vectors<T>& v) {
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(double{v.a[i]} * double{v.b[i]}));
  return largest;
}

/// How often each kind of sum was tried and could be given.
struct tally {
  int tried = 0, bounded = 0, refined = 0, exact = 0;
};

template <class Term, class T>
void check(const instruction_set& set, const oracle::vectors<T>& v, tally& done) {
  const kernels& of = set.table[kernels_index(type_of<T>, core::term_index<Term>)];
  const T *const a = v.a.data(), *const b = Term::inputs == 2 ? v.b.data() : a;
  ++done.tried;
  if (exact_pair pair; of.exact_pair(a, b, v.size(), pair)) {
    ASSERT_EQ((deviation_of<Term>(a, b, v.size(), {pair.high, pair.low}, 0, 0).error), 0) << "exact pair";
    ++done.exact;
  }
  bounded_sum sum;
  if (!of.bounded(a, b, v.size(), done.tried % 2 == 0 ? a : nullptr, sum) || !is_finite(sum)) return;
  const deviation off = deviation_of_bounded<Term>(a, b, v.size(), sum);
  ASSERT_TRUE(off.error <= off.bound) << "bounded: " << off.error << " > " << off.bound;
  ++done.bounded;
  if (Term::inputs == 2 && sum.exponent == 0) {
    ASSERT_GE(sum.largest, largest_product(v));
  }
  for (const int levels : {3, 4, 5}) {
    for (const int margin : {0, 500}) {
      refined_sum finer;
      const int exponent = exponent_above(sum.largest) + sum.exponent + margin;
      if (exponent > 1000 + 1000 * (margin == 0)) continue;  // the check itself would overflow
      if (!of.refined(a, b, v.size(), levels, exponent, finer)) continue;
      const deviation rest = deviation_of_refined<Term>(a, b, v.size(), finer);
      ASSERT_TRUE(rest.error <= rest.bound) << levels << " levels: " << rest.error << " > " << rest.bound;
      const bounded_sum two = rounded(finer);
      const deviation last = deviation_of_bounded<Term>(a, b, v.size(), two);
      ASSERT_TRUE(last.error <= last.bound) << levels << " levels in two doubles";
      ++done.refined;
    }
  }
}

template <class T>
class bounded_sums : public testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(bounded_sums, carriers);

TYPED_TEST(bounded_sums, enclose_the_exact_sum) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (const auto& generator : oracle::generators<TypeParam>()) {
      for (int seed = 1; seed <= oracle::scaled(8); ++seed) {
        SCOPED_TRACE(std::string(set->name) + ' ' + std::string(generator.name) + ' ' + std::to_string(seed));
        oracle::rng random(static_cast<std::uint64_t>(seed));
        const std::size_t n = seed % 4 == 0 ? 3000 : 1 + random.below(200);
        const oracle::vectors<TypeParam> v = generator.make(random, n);
        if (v.size() == 0) continue;
        check<core::product>(*set, v, done);
        check<core::value>(*set, v, done);
        check<core::magnitude>(*set, v, done);
        check<core::square>(*set, v, done);
        if (this->HasFatalFailure()) return;
      }
    }
    EXPECT_GT(done.bounded, done.tried / 2);
    EXPECT_GT(done.refined, done.tried * 2);
    EXPECT_GT(done.exact, done.tried / 10);
  }
}

/// Sums of alike numbers, which often end half way between two doubles: a pair of doubles holds them, and tells
/// where it does not.
TYPED_TEST(bounded_sums, are_exact_pairs_where_elements_are_alike) {
  oracle::rng random(1);
  for (const instruction_set* set : runnable_instruction_sets()) {
    const kernels& of = set->table[kernels_index(type_of<TypeParam>, core::term_index<core::value>)];
    for (std::size_t n = 1; n < 100; ++n) {
      std::vector<TypeParam> x(n);
      for (TypeParam& each : x) each = static_cast<TypeParam>(random.unit());
      exact_pair pair;
      ASSERT_TRUE(of.exact_pair(x.data(), x.data(), n, pair)) << set->name << ' ' << n;
      const auto off = deviation_of<core::value>(x.data(), x.data(), n, {pair.high, pair.low}, 0, 0);
      ASSERT_EQ(off.error, 0) << set->name << ' ' << n;
      if (std::is_same_v<TypeParam, float> || n < 3) continue;  // doubles hold any sum of floats so near each other
      x[0] = static_cast<TypeParam>(0x1p-200), x[1] = 1, x[2] = static_cast<TypeParam>(0x1p200);
      EXPECT_FALSE(of.exact_pair(x.data(), x.data(), n, pair)) << set->name << ' ' << n;
      x[0] = HUGE_VAL;
      EXPECT_FALSE(of.exact_pair(x.data(), x.data(), n, pair)) << set->name << ' ' << n;
    }
  }
}

/// One large element, then elements of nearly half a unit of level `levels` - 1, all of which the levels lose.
template <class T>
oracle::vectors<T> lost_by_levels(int levels, std::size_t n) {
  oracle::vectors<T> v;
  v.push({T(1), T(1)});
  const int unit = extraction_unit(1, levels - 1);
  const T x = std::ldexp(T(1), unit / 2), y = std::ldexp(T(0.499), unit - unit / 2);
  for (std::size_t i = 1; i < n; ++i) v.push({x, y});
  return v;
}

TYPED_TEST(bounded_sums, have_errors_close_to_the_bound_of_refined_ones) {
  constexpr bool is_float = std::is_same_v<TypeParam, float>;
  const auto v = lost_by_levels<TypeParam>(3, 1000);
  for (const instruction_set* set : runnable_instruction_sets()) {
    const kernels& of = set->table[kernels_index(type_of<TypeParam>, core::term_index<core::product>)];
    refined_sum sum;
    ASSERT_TRUE(of.refined(v.a.data(), v.b.data(), v.size(), 3, 1, sum));
    const deviation off = deviation_of_refined<core::product>(v.a.data(), v.b.data(), v.size(), sum);
    EXPECT_TRUE(off.error <= off.bound) << set->name;
    // products of doubles may lose half a unit twice: of the value and of the error
    EXPECT_GT(off.error, (is_float ? 0.9 : 0.45) * off.bound) << set->name;
  }
}

/// 1, then products of nearly half a unit of it in the same accumulator, all of which a plain sum loses.
TEST(bounded_sums_of_floats, have_errors_close_to_the_bound) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    const kernels& of = set->table[kernels_index(element_type::float32, core::term_index<core::product>)];
    double most = 0;
    for (const std::size_t period : {4, 8, 16, 32}) {  // the lanes of all accumulators
      std::vector<float> a(2000), b(2000);
      for (std::size_t i = 0; i < a.size(); i += period) a[i] = 0x1p-27F, b[i] = 0.98F * 0x1p-26F;
      a[0] = b[0] = 1;
      bounded_sum sum;
      ASSERT_TRUE(of.bounded(a.data(), b.data(), a.size(), nullptr, sum));
      const deviation off = deviation_of_bounded<core::product>(a.data(), b.data(), a.size(), sum);
      EXPECT_TRUE(off.error <= off.bound) << set->name << ' ' << period;
      most = std::max(most, off.error / off.bound);
    }
    EXPECT_GT(most, 0.2) << set->name;
  }
}

/// What a sample of the elements does not show.
TEST(bounded_sums_of_floats, hold_for_elements_that_the_sample_missed) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    const kernels& of = set->table[kernels_index(element_type::float32, core::term_index<core::value>)];
    for (const std::size_t n : {200, 1000, 5000}) {
      for (const float outlier : {7.5F, 8.5F, 64.0F, 100.0F, 1e10F, 3e38F, HUGE_VALF, NAN}) {
        std::vector<float> x(n, 0.75F);
        x[n / 32 | 1] = x[0] = 0.5F;
        for (const std::size_t i : {n / 2 | 2, n - 2}) x[i] = outlier;
        bounded_sum sum;
        if (!of.bounded(x.data(), x.data(), n, nullptr, sum) || !is_finite(sum)) continue;
        ASSERT_TRUE(outlier < HUGE_VALF) << set->name << ": the outlier is lost";
        const deviation off = deviation_of_bounded<core::value>(x.data(), x.data(), n, sum);
        EXPECT_TRUE(off.error <= off.bound) << set->name << ' ' << n << ' ' << outlier;
      }
    }
  }
}

/// Products of ordinary size, and one of factors of which one is so small that scaling drops it: it is the largest.
oracle::vectors<double> with_dropped_largest_product() {
  oracle::vectors<double> v{std::vector<double>(256, 0x1p-300), std::vector<double>(256, 0x1.8p-99)};
  v.a[9] = 0, v.b[9] = 0x1p198;  // sampled: it sets the scale of b, which makes up for that of a
  v.a[2] = 0x1p-763, v.b[2] = 0x1p449;
  return v;
}

TEST(bounded_sums_of_doubles, bound_the_products_that_scaling_drops) {
  const oracle::vectors<double> v = with_dropped_largest_product();
  for (const instruction_set* set : runnable_instruction_sets()) {
    bounded_sum sum;
    const kernels& of = set->table[kernels_index(element_type::float64, core::term_index<core::product>)];
    ASSERT_TRUE(of.bounded(v.a.data(), v.b.data(), v.size(), nullptr, sum)) << set->name;
    EXPECT_GE(std::ldexp(sum.largest, sum.exponent), largest_product(v)) << set->name;
    tally done;
    check<core::product>(*set, v, done);
    exactdot::use_instruction_set(set->name);
    EXPECT_EQ(exactdot::dot(v.a, v.b, {.threads = 1}), 0x1p-314) << set->name;
  }
  exactdot::use_instruction_set("");
}

/// Some shares are scaled, others not: the total is in units of 1.
TEST(bounded_sums_of_doubles, bound_the_products_that_scaling_drops_in_one_of_many_shares) {
  const std::size_t n = 1 << 18, start = 3 * 16384;
  std::vector<double> a(n, 0x1p-199), b(n, 0x1.8p-199);
  for (std::size_t i = start; i < start + 16384; ++i) a[i] = 0x1p-300, b[i] = 0x1.8p-99;
  for (std::size_t i = 513; i < 16384; i += 2 * 513) a[start + i] = 0, b[start + i] = 0x1p190;
  a[start + 2] = 0x1p-764, b[start + 2] = 0x1p441;
  for (const int threads : {1, 2, 3, 8}) EXPECT_EQ(exactdot::dot(a, b, {.threads = threads}), 0x1p-323) << threads;
}

/// Scaling drops the small elements; a NaN among them must not be lost with them.
TEST(bounded_sums_of_doubles, do_not_lose_a_nan_beside_dropped_elements) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    const kernels& of = set->table[kernels_index(element_type::float64, core::term_index<core::product>)];
    for (const std::size_t n : {5, 40, 3000}) {
      std::vector<double> a(n, 0x1p-1000), b(n, 0x1p1000);
      for (std::size_t i = 0; i < n; i += n / 32 | 1) a[i] = 0x1p1000, b[i] = 0x1p-1000;  // what is sampled
      a[n - 2] = std::nan("");
      bounded_sum sum;
      EXPECT_FALSE(of.bounded(a.data(), b.data(), n, nullptr, sum) && is_finite(sum)) << set->name << ' ' << n;
    }
  }
}

/// All sampled products are zero.
TEST(bounded_sums_of_doubles, of_sparse_vectors_enclose_the_exact_sum) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (const double x : {0x1p-300, 1.0 / 3, 0x1p200, 0x1p700}) {
      oracle::vectors<double> v{std::vector<double>(1000), std::vector<double>(1000, 1.0)};
      v.a[998] = x, v.a[997] = -x / 7, v.a[4] = x / 3;
      check<core::product>(*set, v, done);
      check<core::value>(*set, v, done);
    }
    EXPECT_GE(done.bounded, 6) << set->name;
  }
}

/// Blocks of 2048 elements whose products differ in size: of zeros first, then each larger than what was sampled.
TEST(bounded_sums_of_doubles, raise_the_exponent_for_larger_blocks) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const int scale : {0, 300}) {  // 2^600: factors are scaled
      tally done;
      oracle::vectors<double> v;
      oracle::rng random(1);
      for (int i = 0; i < 4500; ++i) {
        const int block = i / 2048;
        const double x = std::ldexp(static_cast<double>(random.below(1U << 30)) - 0x1p29, scale + 10 * block - 29);
        v.push({block == 0 ? 0 : x, i % 3 == 0 ? -std::ldexp(x, 3) : std::ldexp(1.0, scale)});
      }
      check<core::product>(*set, v, done);
      EXPECT_EQ(done.bounded, 1) << set->name << ' ' << scale;
      EXPECT_GE(done.refined, 3) << set->name << ' ' << scale;
    }
  }
}

/// Sums of zeros are known to be zero, so that no slower level reads them again.
TEST(bounded_sums, of_zeros_are_exact) {
  const std::vector<double> zeros(3000, -0.0), others(3000, 0x1p1000);
  const std::vector<float> float_zeros(3000), float_others(3000, 1e30F);
  std::vector<double> tiny(3000), infinite(3000, 1.0);
  tiny[2998] = 0x1p-600, infinite[2998] = HUGE_VAL;
  for (const instruction_set* set : runnable_instruction_sets()) {
    const auto expect_zero = [&](element_type carrier, const void* a, const void* b) {
      bounded_sum sum{1, 1, 1};
      ASSERT_TRUE(
          set->table[kernels_index(carrier, core::term_index<core::product>)].bounded(a, b, 3000, nullptr, sum));
      EXPECT_TRUE(sum.head == 0 && sum.tail == 0 && sum.bound == 0) << set->name;
    };
    expect_zero(element_type::float64, zeros.data(), others.data());
    expect_zero(element_type::float64, others.data(), zeros.data());
    expect_zero(element_type::float32, float_zeros.data(), float_others.data());
    const kernels& of = set->table[kernels_index(element_type::float64, core::term_index<core::product>)];
    bounded_sum sum;
    EXPECT_FALSE(of.bounded(zeros.data(), infinite.data(), 3000, nullptr, sum)) << set->name;
    EXPECT_TRUE(!of.bounded(tiny.data(), tiny.data(), 3000, nullptr, sum) || sum.bound > 0) << set->name;
  }
}

TEST(refined_sums, carry_between_levels) {
  constexpr std::int64_t width = std::int64_t{1} << extraction_width;
  refined_sum sum{.exponent = 7, .levels = 3};
  const std::int64_t first[3] = {5 * width / 2, -width, width / 2}, second[3] = {-5 * width / 2 + 1, width - 1, 3};
  add_levels(sum, first, 3);
  EXPECT_EQ(std::vector(sum.digit, sum.digit + 4), (std::vector<std::int64_t>{2, width / 2 - 1, 1, -width / 2}));
  add_levels(sum, second, 3);  // in all: 1 in level 0, -1 in level 1, half a unit of it and 3 in level 2
  EXPECT_EQ(std::vector(sum.digit, sum.digit + 4), (std::vector<std::int64_t>{0, 1, 0, -width / 2 + 3}));
}

TEST(refined_sums, add) {
  refined_sum sum, x{.digit = {1, 2, 3}, .bound = 0.25, .exponent = 9, .levels = 5};
  add(sum, refined_sum{.bound = 0.125, .exponent = 9, .levels = 0});  // a slice of nothing
  EXPECT_EQ(sum.levels, 0);
  add(sum, x);
  x.digit[0] = -3;
  add(sum, x);
  EXPECT_EQ(std::vector(sum.digit, sum.digit + 3), (std::vector<std::int64_t>{-2, 4, 6}));
  EXPECT_EQ(sum.bound, 0.5);
  EXPECT_EQ(sum.levels, 5);
}

TEST(refined_sums, in_two_doubles_keep_a_sum_that_cancels) {
  const bounded_sum two = rounded({.digit = {0, 0, 1, 0, 1, 1}, .exponent = 200, .levels = 5});
  EXPECT_EQ(two.exponent, 0);
  EXPECT_EQ(two.head, 0x1p106);
  EXPECT_EQ(two.tail, 0x1p12 + 0x1p-35);
  EXPECT_LE(two.bound, 0x1p-38);
  EXPECT_GE(two.bound, 0x1p-41);
  const bounded_sum huge = rounded({.digit = {1, 3}, .bound = 0x1p-60, .exponent = 1500, .levels = 5});
  EXPECT_EQ(huge.exponent, 1500);
  EXPECT_EQ(huge.head, 1 + 0x3p-47);
  EXPECT_GE(huge.bound, 0x1p-60);
}

}  // namespace
