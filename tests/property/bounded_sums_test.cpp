// The CPU's bounded and refined sums: the exact sum lies within their bounds, on every instruction set, for the
// data of all generators; and aimed data whose errors nearly reach the bound, so that a smaller one would be
// noticed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <core/decompose.hpp>
#include <cpu/extraction.hpp>
#include <cpu/kernels.hpp>
#include <cstdlib>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"

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
deviation deviation_of_refined(const T* a, const T* b, std::size_t n, const expansion& sum) {
  return deviation_of<Term>(a, b, n, {std::begin(sum.part), std::end(sum.part)}, sum.bound, sum.exponent);
}

bool is_finite(const bounded_sum& sum) { return sum.bound < HUGE_VAL && std::abs(sum.head + sum.tail) < HUGE_VAL; }

template <class T>
double largest_product(const oracle::vectors<T>& v) {
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(double{v.a[i]} * double{v.b[i]}));
  return largest;
}

struct tally {
  int bounded = 0, refined = 0;
};

template <class Term, class T>
void check(const instruction_set& set, const oracle::vectors<T>& v, tally& done) {
  const kernels& of = set.table[kernels_index(type_of<T>, core::term_index<Term>)];
  const T *const a = v.a.data(), *const b = Term::inputs == 2 ? v.b.data() : a;
  bounded_sum sum;
  if (!of.bounded(a, b, v.size(), sum) || !is_finite(sum)) return;
  const deviation off = deviation_of_bounded<Term>(a, b, v.size(), sum);
  ASSERT_TRUE(off.error <= off.bound) << "bounded: " << off.error << " > " << off.bound;
  ++done.bounded;
  if (Term::inputs == 2 && sum.exponent == 0) {
    ASSERT_GE(sum.largest, largest_product(v));
  }
  for (const int levels : {0, 3, 4, 5}) {
    for (const double largest : {sum.exponent == 0 ? sum.largest : HUGE_VAL, HUGE_VAL}) {
      expansion finer;
      if (!of.refined(a, b, v.size(), levels, largest, finer)) continue;
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
    EXPECT_GT(done.bounded, 100);
    EXPECT_GT(done.refined, 300);
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
    expansion sum;
    ASSERT_TRUE(of.refined(v.a.data(), v.b.data(), v.size(), 3, 1.0, sum));
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
      ASSERT_TRUE(of.bounded(a.data(), b.data(), a.size(), sum));
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
        if (!of.bounded(x.data(), x.data(), n, sum) || !is_finite(sum)) continue;
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
    ASSERT_TRUE(of.bounded(v.a.data(), v.b.data(), v.size(), sum)) << set->name;
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
      EXPECT_FALSE(of.bounded(a.data(), b.data(), n, sum) && is_finite(sum)) << set->name << ' ' << n;
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

TEST(expansion, adds_sums_of_any_unit) {
  expansion sum, large{{1.5}, 0.25, 1000}, tiny{{0.75}, 0.5, -2000};
  add(sum, tiny);
  EXPECT_EQ(sum.exponent, -2000);
  EXPECT_EQ(sum.part[0], 0.75);
  add(sum, large);
  EXPECT_EQ(sum.exponent, 1000);
  EXPECT_EQ(sum.part[0], 1.5);
  EXPECT_GE(sum.bound, 0.25 + std::ldexp(1.25, -399));
  expansion small{{3}, 0.125, 900};
  add(sum, small);
  EXPECT_EQ(sum.part[0], 1.5);  // 3·2^-100 is a part of its own
  EXPECT_EQ(sum.part[1], std::ldexp(3.0, -100));
}

TEST(expansion, in_two_doubles_keeps_a_sum_that_cancels) {
  expansion sum;
  for (const double x : {0x1p200, 1.0, 0x1p-60, -0x1p200, -1.0, 0x1p-140}) add(sum, x);
  const bounded_sum two = rounded(sum);
  EXPECT_EQ(two.head, 0x1p-60);
  EXPECT_EQ(two.tail, 0x1p-140);
  EXPECT_EQ(two.bound, 0);
}

}  // namespace
