// Sums of the columns of a matrix by the kernels of level 1, plain and compensated: the exact sum lies within their
// bounds, on every instruction set; aimed data come close to the bounds of plain sums, and to the rule that tells
// exact ones, so that smaller bounds and a looser rule would be noticed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cpu/column_decision.hpp>
#include <cpu/column_sums.hpp>
#include <cpu/kernels.hpp>
#include <cpu/panel_extrema.hpp>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <plan/batch.hpp>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "oracle/integer_sum.hpp"
#include "property/matrices.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cpu_engine;
namespace core = exactdot::core;

template <class T>
row_block rows_of(const std::vector<T>& x, std::size_t columns, std::size_t first) {
  return {x.data() + first * columns, static_cast<std::ptrdiff_t>(columns * sizeof(T)), false};
}

/// The bounds in the lanes of registers, find(first, bounds), are those of the columns one by one, but for
/// roundings.
template <class Find>
void check_bounds(const std::vector<bounded_sum>& of, Find find) {
  for (std::size_t first = 0; first < of.size(); first += 1 + of.size() / 2) {
    const std::size_t room = of.size() + sum_bounds::padding;
    std::vector<double> bound(room);
    find(first, bound.data());
    for (std::size_t i = first; i < of.size(); ++i) {
      const double one_by_one = of[i].bound, in_lanes = bound[i - first];
      const bool are_known = one_by_one < HUGE_VAL;
      EXPECT_EQ(in_lanes < HUGE_VAL, are_known) << i;
      EXPECT_TRUE(!are_known || std::abs(in_lanes - one_by_one) <= 0x1p-48 * one_by_one + 0x1p-1060)
          << i << ' ' << in_lanes;
    }
  }
}

/// Some matrices' sums are begun by their first rows, whatever is in memory; those of others are added to zeros.
template <class T>
bool is_begun(const matrices<T>& x) {
  return x.columns % 2 == 0;
}

/// The sums of all columns with their bounds, by plain sums in tiles of so many rows.
template <class Term>
std::vector<bounded_sum> plainly(const instruction_set& set, const matrices<float>& x, std::size_t tile) {
  const kernels& of = set.table[kernels_index(element_type::float32, core::term_index<Term>)];
  const std::size_t width = x.columns + plain_sums::padding;
  const double before = is_begun(x) ? std::nan("") : 0;
  std::vector<double> sum(width, before), error = sum, magnitude = sum;
  std::vector<std::uint32_t> largest(width, is_begun(x) ? ~0U : 0), smallest(width, is_begun(x) ? 0 : ~0U);
  static_assert(plain_sums::no_smallest == ~0U);
  const plain_sums to{sum.data(), error.data(), magnitude.data(), largest.data(), smallest.data()};
  for (std::size_t first = 0; first < x.rows; first += tile) {
    of.add_plain_columns(rows_of(x.a, x.columns, first), rows_of(x.b, x.columns, first),
                         std::min(tile, x.rows - first), x.columns, first == 0 && is_begun(x), to);
  }
  std::vector<bounded_sum> found;
  const auto n = static_cast<double>(x.rows);
  for (std::size_t i = 0; i < x.columns; ++i) {
    found.push_back(Term::factors == 2 ? plain_column(sum[i], error[i], magnitude[i], n)
                                       : plain_column_of_values(sum[i], error[i], largest[i], smallest[i], n));
  }
  const auto bound = Term::factors == 2 ? set.bound_plain_products : set.bound_plain_values;
  check_bounds(found, [&](std::size_t first, double* bounds) { bound(to, first, x.columns - first, n, bounds); });
  return found;
}

/// The same by compensated sums.
template <class Term, class T>
std::vector<bounded_sum> compensated(const instruction_set& set, const matrices<T>& x, std::size_t tile) {
  const kernels& of = set.table[kernels_index(type_of<T>, core::term_index<Term>)];
  const std::size_t width = x.columns + column_sums::padding;
  const double before = is_begun(x) ? std::nan("") : 0;
  std::vector<double> sum(width, before), error = sum, magnitude = sum,
                                          smallest(width, is_begun(x) ? before : HUGE_VAL);
  for (std::size_t first = 0; first < x.rows; first += tile) {
    of.add_columns(rows_of(x.a, x.columns, first), rows_of(x.b, x.columns, first), std::min(tile, x.rows - first),
                   x.columns, first == 0 && is_begun(x),
                   {sum.data(), error.data(), magnitude.data(), smallest.data()});
  }
  std::vector<bounded_sum> found;
  for (std::size_t i = 0; i < x.columns; ++i)
    found.push_back(bounded_column(sum[i], error[i], magnitude[i], smallest[i], x.rows, of.has_two_part_terms));
  const column_sums all{sum.data(), error.data(), magnitude.data(), smallest.data()};
  check_bounds(found, [&](std::size_t first, double* bounds) {
    set.bound_columns(all, first, x.columns - first, x.rows, of.has_two_part_terms, bounds);
  });
  return found;
}

template <class Term, class T>
double error_of_column(const matrices<T>& x, std::size_t column, const bounded_sum& found) {
  oracle::integer_sum sum;
  for (std::size_t i = column; i < x.a.size(); i += x.columns) {
    const T value = Term::absolute ? std::abs(x.a[i]) : x.a[i];
    sum.add(value, Term::inputs == 2 ? x.b[i] : Term::factors == 2 ? value : T{1});
  }
  return error_of(sum, found);
}

struct tally {
  int finite = 0, exact = 0;
};

template <class Term, class T>
void check(const matrices<T>& x, const std::vector<bounded_sum>& found, tally& done) {
  for (std::size_t i = 0; i < x.columns; ++i) {
    const bounded_sum& sum = found[i];
    if (!(sum.bound < HUGE_VAL && std::abs(sum.head) < HUGE_VAL && std::abs(sum.tail) < HUGE_VAL)) continue;
    const double error = error_of_column<Term>(x, i, sum);
    ASSERT_TRUE(error <= sum.bound) << "column " << i << ": " << error << " > " << sum.bound;
    ++done.finite;
    done.exact += sum.bound == 0 ? 1 : 0;
  }
}

template <class Term, class T>
void check_kernels(const instruction_set& set, const matrices<T>& x, std::size_t tile, tally& plain, tally& other) {
  if constexpr (std::is_same_v<T, float>) check<Term>(x, plainly<Term>(set, x, tile), plain);
  check<Term>(x, compensated<Term>(set, x, tile), other);
}

template <class T>
class columns_of : public testing::Test {};
using carriers = testing::Types<float, double>;
TYPED_TEST_SUITE(columns_of, carriers);

/// Each column by another seed of a generator.
TYPED_TEST(columns_of, have_sums_within_their_bounds) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    tally plain, other;
    for (const auto& generator : oracle::generators<TypeParam>()) {
      for (int seed = 1; seed <= oracle::scaled(4); ++seed) {
        SCOPED_TRACE(std::string(set->name) + ' ' + std::string(generator.name) + ' ' + std::to_string(seed));
        oracle::rng random(static_cast<std::uint64_t>(seed));
        matrices<TypeParam> x{seed % 4 == 0 ? 600U : 1 + random.below(60), 1 + random.below(40)};
        for (std::size_t k = 0; k < x.columns; ++k) {
          const oracle::vectors<TypeParam> v = generator.make(random, x.rows);
          for (std::size_t i = 0; i < std::min(x.rows, v.size()); ++i)
            x.a[i * x.columns + k] = v.a[i], x.b[i * x.columns + k] = v.b[i];
        }
        const std::size_t tile = 1 + random.below(plain_sums::max_rows);
        check_kernels<core::value>(*set, x, tile, plain, other);
        check_kernels<core::magnitude>(*set, x, tile, plain, other);
        check_kernels<core::product>(*set, x, tile, plain, other);
        check_kernels<core::square>(*set, x, tile, plain, other);
        if (this->HasFatalFailure()) return;
      }
    }
    EXPECT_GT(other.finite, 1000) << set->name;
    EXPECT_GT(other.exact, 100) << set->name;
    if (std::is_same_v<TypeParam, float>) {
      EXPECT_GT(plain.finite, 1000) << set->name;
      EXPECT_GT(plain.exact, 100) << set->name;
    }
  }
}

/// Tiles of large terms, whose sum then absorbs nearly half a unit of each of the others.
TEST(plain_columns, have_errors_close_to_the_bound) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    const std::size_t rows = plain_sums::max_rows;
    matrices<float> x{rows, 20};
    std::ranges::fill(x.b, 1.0F);
    for (std::size_t i = 0; i < x.a.size(); ++i) x.a[i] = i < x.columns ? 1.0F : 0.98F * 0x1p-53F;
    const bounded_sum of_products = plainly<core::product>(*set, x, rows)[7];
    const double error = error_of_column<core::product>(x, 7, of_products);
    EXPECT_TRUE(error <= of_products.bound);
    EXPECT_GT(error, 0.8 * of_products.bound) << set->name;
    for (std::size_t i = 0; i < x.a.size(); ++i) x.a[i] = i < 8 * x.columns ? 1.0F : 0.98F * 0x1p-50F;
    const bounded_sum of_values = plainly<core::value>(*set, x, rows)[19];
    const double rest = error_of_column<core::value>(x, 19, of_values);
    EXPECT_TRUE(rest <= of_values.bound);
    EXPECT_GT(rest, 0.2 * of_values.bound) << set->name;
  }
}

/// Products of doubles that are doubles themselves, such as those by 1, are terms like others; not if one of them
/// has more bits, is 0 or underflows.
TEST(compensated_columns, of_products_that_are_doubles_are_exact) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    matrices<double> x{7, 13};
    for (std::size_t i = 0; i < x.a.size(); ++i) x.a[i] = 1 + 0x1p-52 * static_cast<double>(i), x.b[i] = 0.5;
    const auto set_column = [&](std::size_t k, double a, double b) {
      x.a[40 / 13 * 13 + k] = a, x.b[40 / 13 * 13 + k] = b;
    };
    set_column(1, 1 + 0x1p-52, 1 + 0x1p-52);  // 105 bits
    set_column(2, 0x1p-600, 0x1p-600);        // the product is lost
    set_column(3, 0x1p-500, 0x1p-540);        // a subnormal product
    set_column(4, 0x1.8p-500, 0x1.0000001p-500);
    set_column(5, 0, 1);
    set_column(12, 0x1p-1074, 0.5);  // rounded to 0
    const auto found = compensated<core::product>(*set, x, 4);
    for (const std::size_t k : {0, 6, 7, 8, 9, 10, 11}) EXPECT_EQ(found[k].bound, 0) << set->name << ' ' << k;
    for (const std::size_t k : {1, 2, 3, 4, 5, 12}) EXPECT_GT(found[k].bound, 0) << set->name << ' ' << k;
    tally done;
    check<core::product>(x, found, done);
    EXPECT_EQ(done.finite, 13) << set->name;
  }
}

/// Floats of 24 bits beside a smallest one with an odd last bit: sums of up to 2^28 times it are exact, and said to
/// be; sums of 2^31 times it are not.
TEST(plain_columns, are_exact_where_the_rule_says_so) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (int exponent = 20; exponent <= 30; ++exponent) {
      matrices<float> x{16, 17};
      for (std::size_t i = 0; i < x.a.size(); ++i)
        x.a[i] = i / x.columns == 9 ? 1 + 0x1p-23F : std::ldexp(1.0F, exponent);
      for (const bounded_sum& sum : plainly<core::value>(*set, x, 16)) {
        const double error = error_of_column<core::value>(x, 3, sum);
        EXPECT_EQ(sum.bound == 0, exponent <= 24) << set->name << ' ' << exponent;
        EXPECT_EQ(error == 0, exponent <= 26) << set->name << ' ' << exponent;
      }
    }
  }
}

/// Infinities, NaNs and the largest floats decide nothing by themselves.
TEST(plain_columns, of_special_values_decide_nothing) {
  for (const instruction_set* set : runnable_instruction_sets()) {
    for (const float special : {HUGE_VALF, -HUGE_VALF, NAN, -NAN}) {
      matrices<float> x{5, 19};
      std::ranges::fill(x.a, 1.0F), std::ranges::fill(x.b, 1.0F);
      x.a[2 * x.columns + 18] = special;
      for (const auto& found : {plainly<core::value>(*set, x, 4), plainly<core::magnitude>(*set, x, 4),
                                plainly<core::product>(*set, x, 4), plainly<core::square>(*set, x, 4)}) {
        EXPECT_EQ(found[17].head, 5) << set->name;
        EXPECT_FALSE(found[18].bound < HUGE_VAL && std::abs(found[18].head) < HUGE_VAL) << set->name << special;
      }
    }
  }
}

/// A number of few bits, so that sums and quotients often end half way.
double short_number(oracle::rng& random, int bits) {
  return std::ldexp(static_cast<double>(random.below(std::size_t{1} << bits)), random.between(-60, 0)) *
         (random.coin() ? 1 : -1);
}

/// Means of exact sums in two doubles, compared with the quotient in integers: ties, numbers next to them,
/// quotients next to powers of two.
TEST(exact_means, are_rounded_once) {
  oracle::rng random(5);
  std::size_t certain = 0, ties = 0;
  const int count = oracle::scaled(400'000);
  for (int i = 0; i < count; ++i) {
    const std::size_t n = 1 + random.below(random.coin() ? 8 : 5000);
    const int kind = static_cast<int>(random.below(3));
    // the sum of n results of as many bits as a type and half a unit, or of next to nothing more
    double x = short_number(random, 40), y = short_number(random, 30);
    if (kind != 0) {
      const int bits = std::array{53, 24, 11, 8, 3}[random.below(5)];
      const double half = std::ldexp(1.0, -bits);
      const double value = 1 + std::floor(random.unit() * std::ldexp(1.0, bits - 1)) * 2 * half;
      const double rest = static_cast<double>(n) * half;  // n times half a unit
      const double product = value * static_cast<double>(n),
                   lost = std::fma(value, static_cast<double>(n), -product);
      const auto whole = core::two_sum(product, random.coin() ? rest : -rest);
      x = whole.value, y = whole.error + lost + (kind == 2 ? short_number(random, 3) * 0x1p-60 : 0);
    }
    const auto [head, tail] = core::two_sum(x, y);
    oracle::integer_sum sum;
    sum.add(head), sum.add(tail);
    for (const element_type type : {element_type::float64, element_type::float32, element_type::float16,
                                    element_type::bfloat16, element_type::float8_e5m2}) {
      const core::number_format format = core::format_of(type);
      const core::result_rule rule(core::finish::quotient, format);
      const core::decision found = core::decide_exact_mean<cpu_engine::arithmetic>(rule, n, head, tail);
      if (!found.certain) continue;
      ++certain;
      // the units of the sum over n, with a bit that says whether there is more
      const mpz_class shifted = abs(sum.units()) << 200;
      mpz_class quotient = shifted / n;
      quotient = 2 * quotient + (quotient * n != shifted ? 1 : 0);
      constexpr int lowest = oracle::integer_sum::unit_exponent - 201;
      const mpz_class signed_quotient = sum.units() < 0 ? mpz_class(-quotient) : quotient;
      const std::uint64_t wanted =
          oracle::round_number(signed_quotient, lowest, format.precision, format.exponent_bits);
      ASSERT_EQ(found.word, wanted) << n << ' ' << head << ' ' << tail << ' ' << format.precision;
      if (kind == 1) ++ties;
    }
  }
  EXPECT_GT(certain, static_cast<std::size_t>(count));
  EXPECT_GT(ties, static_cast<std::size_t>(count) / 8);
}

/// What a thread hands over that had rows of one panel and none of the next.
TEST(extrema_of_columns, are_none_without_rows) {
  constexpr std::size_t n = 8, width = 64;
  const std::vector<double> x(n * width, -1.0);
  std::vector<std::uint64_t> out(width);
  const axis results[] = {{width, sizeof(double)}}, elements[] = {{n, width * sizeof(double)}},
             places[] = {{width, sizeof(std::uint64_t)}};
  const any_grid of{x.data(), element_type::float64, results, elements};
  const any_results to{out.data(), element_type::uint64, places};
  const engine::batch asked =
      engine::make_grid_batch({"test", reduction::argmin, to, 0}, of, of, {.device = device::cpu});
  panel_extrema part(asked);
  part.start(asked.line_at(0), width);
  part.add(0, n);
  EXPECT_NE(part.found()[0].key, no_extreme.key);
  part.start(asked.line_at(0), width);
  for (const extreme& each : part.found()) EXPECT_EQ(each.key, no_extreme.key);
}

}  // namespace
