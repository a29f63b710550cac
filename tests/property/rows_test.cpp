// Sums of rows by one vector, many rows at once: the exact sums lie within their bounds on every instruction set,
// decided results are the exact ones rounded, and aimed rows come close to the bounds, so that smaller ones would
// be noticed. Rows of any number and length, and hostile rows beside others.
#include <gtest/gtest.h>

#include <cmath>
#include <cpu/kernels.hpp>
#include <exactdot/exactdot.hpp>
#include <exactdot/shapes.hpp>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"
#include "property/matrices.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;
namespace core = exactdot::core;

template <class T>
oracle::integer_sum exact_sum(const matrices<T>& x, std::size_t row) {
  oracle::integer_sum sum;
  for (std::size_t i = 0; i < x.columns; ++i) sum.add(x.a[row * x.columns + i], x.b[i]);
  return sum;
}

/// The bounded sums of all rows, and the results that they decide.
template <class T>
class found_rows {
 public:
  found_rows(const instruction_set& set, const matrices<T>& x) : results(x.rows), is_open(new bool[x.rows]{}) {
    const std::size_t room = (x.rows + row_bounds::max_group - 1) / row_bounds::max_group * row_bounds::max_group;
    for (auto& each : arrays_) each.resize(room);
    bounds = {{arrays_[0].data(), arrays_[1].data(), arrays_[2].data()}, arrays_[3].data()};
    const kernels& of = set.table[kernels_index(type_of<T>, core::term_index<core::product>)];
    of.bounded_rows(x.a.data(), static_cast<std::ptrdiff_t>(x.columns * sizeof(T)), x.rows, x.b.data(), x.columns,
                    x.columns % 2 == 0, bounds);
    any_open = set.decide_sums({{core::finish::round, core::format_of(type_of<T>)}, x.columns}, bounds, x.rows,
                               reinterpret_cast<char*>(results.data()), is_open.get());
  }

  row_bounds bounds;
  std::vector<T> results;
  std::unique_ptr<bool[]> is_open;
  bool any_open;

 private:
  std::vector<double> arrays_[4];
};

/// How many rows were tried, had a bound and a result.
struct tally {
  int tried = 0, bounded = 0, decided = 0;
};

template <class T>
void check(const instruction_set& set, const matrices<T>& x, tally& done) {
  const found_rows<T> found(set, x);
  bool any_open = false;
  for (std::size_t r = 0; r < x.rows; ++r) {
    SCOPED_TRACE("row " + std::to_string(r) + " of " + std::to_string(x.rows) +
                 ", n = " + std::to_string(x.columns));
    const oracle::integer_sum exact = exact_sum(x, r);
    const bounded_sum sum = found.bounds.at(r);
    ++done.tried;
    any_open |= found.is_open[r];
    ASSERT_FALSE(sum.bound == HUGE_VAL && !found.is_open[r]);
    if (!(sum.bound < HUGE_VAL)) continue;
    ++done.bounded;
    ASSERT_LE(error_of(exact, sum), sum.bound);
    double largest = 0;
    for (std::size_t i = 0; i < x.columns; ++i) {
      largest = std::max(largest, std::abs(double{x.a[r * x.columns + i]} * double{x.b[i]}));
    }
    ASSERT_GE(sum.largest, largest);
    if (found.is_open[r]) continue;
    ++done.decided;
    ASSERT_EQ(core::to_word(found.results[r]), core::to_word(exact.template round<T>()));
  }
  ASSERT_EQ(any_open, found.any_open);
}

template <class T>
class rows_by_a_vector : public testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(rows_by_a_vector, carriers);

TYPED_TEST(rows_by_a_vector, enclose_the_exact_sums) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (const auto& generator : oracle::generators<TypeParam>()) {
      for (int seed = 1; seed <= oracle::scaled(6); ++seed) {
        SCOPED_TRACE(std::string(set->name) + ' ' + std::string(generator.name) + ' ' + std::to_string(seed));
        oracle::rng random(static_cast<std::uint64_t>(seed));
        const std::size_t n = seed % 6 == 0 ? 5000 : seed % 3 == 0 ? 200 + random.below(200) : 1 + random.below(70);
        matrices<TypeParam> x{1 + random.below(20), n};
        for (std::size_t r = 0; r < x.rows; ++r) {
          const oracle::vectors<TypeParam> v = generator.make(random, n);
          for (std::size_t i = 0; i < std::min(n, v.size()); ++i) {
            x.a[r * n + i] = v.a[i];
            if (r == 0) x.b[i] = v.b[i];
          }
        }
        check(*set, x, done);
        if (this->HasFatalFailure()) return;
      }
    }
    EXPECT_GT(done.bounded, done.tried / 10) << set->name;  // many data are wide
    EXPECT_GT(done.decided, done.tried / 20) << set->name;
  }
}

template <class T>
matrices<T> uniform_rows(std::size_t count, std::size_t n) {
  oracle::rng random(count * 1000 + n);
  matrices<T> x{count, n};
  for (T& each : x.a) each = static_cast<T>(2 * random.unit() - 1);
  for (T& each : x.b) each = static_cast<T>(2 * random.unit() - 1);
  return x;
}

TYPED_TEST(rows_by_a_vector, of_alike_elements_are_decided) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (const std::size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 31}) {
      for (const std::size_t n : {1, 2, 3, 7, 8, 9, 16, 17, 255, 256, 257, 2048, 2049, 5000}) {
        matrices<TypeParam> x = uniform_rows<TypeParam>(count, n);
        if (n % 2 == 0) {
          for (TypeParam& each : x.a)
            each *= static_cast<TypeParam>(1e-12);  // a scale that the vector does not hold
        }
        check(*set, x, done);
        if (this->HasFatalFailure()) return;
      }
    }
    EXPECT_EQ(done.bounded, done.tried) << set->name;
    EXPECT_GT(done.decided, done.tried * 9 / 10) << set->name;  // a single product may be next to a tie
  }
}

/// Rows that one anchor, or one bound, does not suit: much larger or smaller ones, infinities and NaNs, and
/// elements behind those that were sampled.
TYPED_TEST(rows_by_a_vector, hold_beside_hostile_rows) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (const std::size_t n : {16, 40, 300, 3000}) {
      for (const double factor : {1e-30, 1e-12, 1e9, 1e18, 1e30, double{HUGE_VALF}, std::nan("")}) {
        for (const std::size_t row : {0, 5, 8, 15, 19}) {
          matrices<TypeParam> x = uniform_rows<TypeParam>(20, n);
          for (std::size_t i = row * n + n / 2; i < row * n + n; ++i) {
            x.a[i] = static_cast<TypeParam>(double{x.a[i]} * factor);
          }
          check(*set, x, done);
          if (this->HasFatalFailure()) return;
        }
      }
    }
    EXPECT_GT(done.bounded, done.tried / 2) << set->name;
  }
}

/// Large products in all lanes behind the sample, as large as its scale allows and alternating, so that they
/// cancel; then products of nearly half a unit of them, all of which sums lose.
TEST(rows_of_floats, have_errors_close_to_the_bound) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    double most = 0;
    for (const std::size_t lanes : {1, 2, 4}) {
      matrices<float> x{1, 2000};
      for (std::size_t i = 0; i < x.columns; ++i) x.a[i] = 0x1p-21F, x.b[i] = 0.98F * 0x1p-22F;
      x.a[0] = x.b[0] = 0.75F;  // 2^0 is above the product, 2^11 above so many
      for (std::size_t i = 0; i < lanes; ++i) x.a[16 + i] = 0x1.8p10F, x.b[16 + i] = i < lanes / 2 ? -1.0F : 1.0F;
      const found_rows<float> found(*set, x);
      const bounded_sum sum = found.bounds.at(0);
      const double error = error_of(exact_sum(x, 0), sum);
      EXPECT_LE(error, sum.bound) << set->name << ' ' << lanes;
      if (sum.bound < HUGE_VAL) most = std::max(most, error / sum.bound);
    }
    EXPECT_GT(most, 0.9) << set->name;
  }
}

/// Sums that move to either end of what the scale allows, and one step further, and come back.
TEST(rows_of_floats, notice_sums_that_leave_the_range) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (int exponent = 0; exponent < 16; ++exponent) {
      for (const float sign : {1.0F, -1.0F}) {
        for (const std::size_t at : {24, 25, 33, 60}) {
          matrices<float> x{8, 64};
          for (float& each : x.b) each = 1;
          for (float& each : x.a) each = 0.75F;
          x.a[3 * 64 + at] = sign * std::ldexp(1.0F, exponent);
          x.a[3 * 64 + at + 1] = -x.a[3 * 64 + at];
          x.a[5 * 64 + at] = std::nextafter(std::ldexp(sign, exponent), 0.0F);
          check(*set, x, done);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
    EXPECT_EQ(done.bounded, done.tried) << set->name;
  }
}

/// Lanes whose sums move to either end of what the anchor allows, and one step further.
TEST(rows_of_doubles, notice_sums_that_leave_the_anchor) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally done;
    for (int exponent = 0; exponent < 16; ++exponent) {
      for (const double sign : {1.0, -1.0}) {
        for (const std::size_t at : {24, 25, 33, 60}) {
          matrices<double> x{8, 64};
          for (double& each : x.b) each = 1;
          for (double& each : x.a) each = 0.75;
          x.a[3 * 64 + at] = sign * std::ldexp(1.0, exponent);
          x.a[3 * 64 + at + 1] = -x.a[3 * 64 + at] + 0x1p-40;
          x.a[5 * 64 + at] = std::nextafter(std::ldexp(sign, exponent), 0);
          check(*set, x, done);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
    EXPECT_EQ(done.bounded, done.tried) << set->name;
  }
}

/// Results that a float does not hold, or only as a subnormal number, are those of a conversion.
TEST(rows_of_an_array, are_rounded_to_floats_beyond_their_range_too) {
  std::vector<double> sums = {1e40,       -1e40, 0x1p128, 0x1.fffffefp127, 0x1.ffffff1p127, 0x1p-150,
                              0x1.8p-149, 1,     -2.5};
  for (const instruction_set* set : runnable_instruction_sets()) {
    exactdot::use_instruction_set(set->name);
    for (const std::size_t n : {1, 16, 64, 130}) {
      std::vector<double> a(sums.size() * n), b(n, 1.0);
      for (std::size_t r = 0; r < sums.size(); ++r) a[r * n] = sums[r];
      std::vector<float> out(sums.size());
      dot(rows{a.data(), sums.size(), n}, repeated{b.data(), n}, out);
      for (std::size_t r = 0; r < sums.size(); ++r) {
        EXPECT_EQ(core::to_word(out[r]), core::to_word(static_cast<float>(sums[r])))
            << set->name << ' ' << n << ' ' << r;
      }
    }
  }
  exactdot::use_instruction_set("");
}

/// Sums and means of rows are those of rows by a vector of ones: of elements of one scale, of a scale for each row,
/// that cancel, integers, which make ties, and hostile ones; rows with gaps.
template <class T, class R>
void check_sums(std::size_t count, std::size_t n, int kind, std::size_t gap) {
  oracle::rng random(n * 1000 + count * 10 + static_cast<std::size_t>(kind));
  const std::size_t step = n + gap;
  std::vector<T> a(count * step);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<T>(2 * random.unit() - 1);
    if (kind == 1) a[i] *= static_cast<T>(std::ldexp(1.0, static_cast<int>(i / step * 37 % 200) - 100));
    if (kind == 2 && i % 2 == 1) a[i] = random.below(20) == 0 ? a[i] : -a[i - 1];
    if (kind == 3) a[i] = static_cast<T>(random.between(-3, 3));
  }
  const T hostile[] = {static_cast<T>(HUGE_VAL), static_cast<T>(std::nan("")), static_cast<T>(1e30), -T{0}};
  for (std::size_t r = 0; kind == 4 && r < count; r += 3) {
    if (r % 2 == 0) std::fill_n(&a[r * step], n, -T{0});
    a[r * step + random.below(n)] = hostile[r / 3 % 4];
  }
  std::vector<R> sums(count), means(count);
  const rows all{a.data(), count, n, static_cast<std::ptrdiff_t>(step)};
  sum(all, sums), mean(all, means);
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = std::span(a).subspan(r * step, n);
    EXPECT_EQ(core::to_word(sums[r]), core::to_word(sum<R>(row))) << count << ' ' << n << ' ' << kind << ' ' << r;
    EXPECT_EQ(core::to_word(means[r]), core::to_word(mean<R>(row))) << count << ' ' << n << ' ' << kind << ' ' << r;
  }
}

TEST(rows_of_an_array, have_the_bits_of_sums_and_means) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    SCOPED_TRACE(set->name);
    exactdot::use_instruction_set(set->name);
    for (const auto& [count, n] : {std::pair<std::size_t, std::size_t>{300, 8},
                                   {70, 9},
                                   {9, 33},
                                   {300, 48},
                                   {70, 49},
                                   {21, 130},
                                   {7, 257},
                                   {9, 2048},
                                   {9, 2049}}) {
      for (int kind = 0; kind < 5; ++kind) {
        check_sums<double, double>(count, n, kind, 0);
        check_sums<float, float>(count, n, kind, 3);
        check_sums<float, double>(count, n, kind, 0);
        check_sums<double, float>(count, n, kind, 3);
      }
    }
  }
  exactdot::use_instruction_set("");
}

/// Rows that exceed the caches, which are prefetched.
TEST(rows_of_an_array, are_summed_where_they_are_far) {
  const matrices<double> x = uniform_rows<double>(40'000, 64);
  std::vector<double> out(x.rows);
  sum(rows{x.a.data(), x.rows, x.columns}, out, {.threads = 2});
  for (std::size_t r = 0; r < x.rows; ++r) {
    ASSERT_EQ(out[r], sum(std::span(x.a).subspan(r * x.columns, x.columns))) << r;
  }
}

/// Products with the vector, as callers get them.
TEST(rows_of_an_array, have_the_bits_of_dots) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    exactdot::use_instruction_set(set->name);
    for (const std::size_t n : {1, 16, 47, 49, 130, 2100}) {
      const matrices<double> x = uniform_rows<double>(21, n);
      std::vector<double> out(x.rows);
      dot(rows{x.a.data(), x.rows, n}, repeated{x.b.data(), n}, out);
      for (std::size_t r = 0; r < x.rows; ++r) {
        EXPECT_EQ(core::to_word(out[r]),
                  core::to_word(dot(std::span(x.a).subspan(r * n, n), std::span(x.b).first(n))))
            << n << ' ' << r;
      }
    }
  }
  exactdot::use_instruction_set("");
}

/// Small products, which need no batch: no hostile row, some, or all, which a batch computes after all; results of
/// either type, one of which a bound cannot decide; rows with gaps, and rows that overlap.
template <class T, class R>
void check_small_products(std::size_t n, std::size_t every, std::ptrdiff_t step) {
  constexpr std::size_t count = 150;
  oracle::rng random(n * 100 + every);
  std::vector<T> a(count * n + count * static_cast<std::size_t>(std::abs(step))), b(n);
  for (T& each : a) each = static_cast<T>(2 * random.unit() - 1);
  for (T& each : b) each = static_cast<T>(2 * random.unit() - 1);
  for (std::size_t r = every - 1; r < count; r += every) {
    T* const row = a.data() + static_cast<std::ptrdiff_t>(r) * step;
    const T hostile[] = {static_cast<T>(HUGE_VAL), static_cast<T>(std::nan("")), static_cast<T>(1e30), T{0}};
    if (r % 5 == 4) std::fill_n(row, n, T{0});
    row[random.below(n)] = hostile[r % 4];
  }
  std::vector<R> out(count);
  dot(rows{a.data(), count, n, step}, repeated{b.data(), n}, out);
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = std::span(a).subspan(r * static_cast<std::size_t>(step), n);
    const R expected = dot<R>(row, std::span(b));
    EXPECT_EQ(core::to_word(out[r]), core::to_word(expected)) << n << ' ' << every << ' ' << step << ' ' << r;
  }
}

TEST(rows_of_an_array, are_computed_without_a_batch_too) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    SCOPED_TRACE(set->name);
    exactdot::use_instruction_set(set->name);
    for (const std::size_t n : {1, 5, 48, 49, 300}) {
      for (const std::size_t every : {1, 2, 9, 70, 1000}) {
        for (const std::ptrdiff_t step : {static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(n) + 3,
                                          static_cast<std::ptrdiff_t>(n / 2)}) {
          check_small_products<double, double>(n, every, step);
          check_small_products<float, float>(n, every, step);
          check_small_products<float, double>(n, every, step);
          check_small_products<double, float>(n, every, step);
        }
      }
    }
  }
  exactdot::use_instruction_set("");
}

}  // namespace
