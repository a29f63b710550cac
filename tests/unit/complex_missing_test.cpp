// where and skip_nan of complex numbers in C++: every reduction of vectors, rows, columns, segments and groups has
// the bits of the call on an array of the numbers that stay; a NaN in either part; what is left of nothing; errors,
// after which nothing has been written. property/missing_test.cpp compares with the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/random.hpp"
#include "unit/expect_error.hpp"

namespace {

using namespace exactdot;
using unit::expect_error;
template <class T>
using numbers = std::vector<std::complex<T>>;
using flags = std::vector<std::uint8_t>;
using places = std::vector<std::size_t>;

const double nan = NAN;

/// Two arrays of m·n numbers, some with a NaN for a part, and flags.
template <class T>
struct arrays {
  std::size_t m, n;
  numbers<T> a, b;
  flags mask;

  explicit arrays(oracle::rng& random)
      : m(1 + random.below(5)), n(random.below(random.coin() ? 5 : 300)), a(m * n), b(m * n), mask(m * n) {
    const auto part = [&] {
      const double value = std::ldexp(2 * random.unit() - 1, random.between(-20, 20));
      return static_cast<T>(random.below(12) == 0 ? nan : value);
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = {part(), part()}, b[i] = {part(), part()};
      mask[i] = random.below(4) == 0 ? 0 : static_cast<std::uint8_t>(1 + random.below(255));
    }
  }
};

bool has_nan(const auto& number) { return std::isnan(number.real()) || std::isnan(number.imag()); }

/// The numbers of x at places that stay.
template <class T>
numbers<T> kept_of(const numbers<T>& x, const places& of, const auto& stays) {
  numbers<T> kept;
  for (const std::size_t place : of) {
    if (stays(place)) kept.push_back(x[place]);
  }
  return kept;
}

/// Compares bits: a NaN equals itself.
template <class R>
void expect_bits(const R& found, const R& right, const char* name) {
  EXPECT_EQ(std::memcmp(&found, &right, sizeof found), 0) << name << ": " << found << ", not " << right;
}

/// Every reduction of wrapped x, and of x and y, beside the calls on numbers that stay, of which each line has its
/// own. R: of a part.
template <class R, class T, class X, class Y>
void check_shape(const X& x, const Y& y, const arrays<T>& of, const std::vector<places>& lines, const auto& stays,
                 const auto& both_stay, const char* shape, const options& chosen) {
  numbers<R> out(lines.size());
  std::vector<R> real(lines.size());
  const auto compare = [&](const auto& results, const auto& of_line) {
    for (std::size_t i = 0; i < lines.size(); ++i) expect_bits(results[i], of_line(lines[i]), shape);
  };
  const auto one = [&](const places& line) { return kept_of(of.a, line, stays); };
  const auto first = [&](const places& line) { return kept_of(of.a, line, both_stay); };
  const auto second = [&](const places& line) { return kept_of(of.b, line, both_stay); };
  using Z = std::complex<R>;
  sum(x, out, chosen), compare(out, [&](const places& line) { return sum<Z>(one(line), chosen); });
  mean(x, out, chosen), compare(out, [&](const places& line) { return mean<Z>(one(line), chosen); });
  asum(x, real, chosen), compare(real, [&](const places& line) { return asum<R>(one(line), chosen); });
  nrm2(x, real, chosen), compare(real, [&](const places& line) { return nrm2<R>(one(line), chosen); });
  sum_of_squares(x, real, chosen);
  compare(real, [&](const places& line) { return sum_of_squares<R>(one(line), chosen); });
  dot(x, y, out, chosen);
  compare(out, [&](const places& line) { return dot<Z>(first(line), second(line), chosen); });
  vdot(x, y, out, chosen);
  compare(out, [&](const places& line) { return vdot<Z>(first(line), second(line), chosen); });
}

/// The calls of a vector, which return their results.
template <class R, class T, class X>
void check_vector(const X& x, const arrays<T>& of, const places& all, const auto& stays, const auto& both_stay,
                  const options& chosen) {
  using Z = std::complex<R>;
  const numbers<T> one = kept_of(of.a, all, stays), first = kept_of(of.a, all, both_stay),
                   second = kept_of(of.b, all, both_stay);
  expect_bits(sum<Z>(x, chosen), sum<Z>(one, chosen), "sum");
  expect_bits(mean<Z>(x, chosen), mean<Z>(one, chosen), "mean");
  expect_bits(asum<R>(x, chosen), asum<R>(one, chosen), "asum");
  expect_bits(nrm2<R>(x, chosen), nrm2<R>(one, chosen), "nrm2");
  expect_bits(norm<R>(x, chosen), norm<R>(one, chosen), "norm");
  expect_bits(sum_of_squares<R>(x, chosen), sum_of_squares<R>(one, chosen), "sum_of_squares");
  expect_bits(dot<Z>(x, of.b, chosen), dot<Z>(first, second, chosen), "dot");
  expect_bits(vdot<Z>(x, of.b, chosen), vdot<Z>(first, second, chosen), "vdot");
}

/// Calls check(wrap, stays, both_stay) with a mask, without NaNs, and both.
template <class T>
void with_each_filter(const arrays<T>& of, const auto& check) {
  const auto is_there = [&](std::size_t i) { return of.mask[i] != 0; };
  const auto is_number = [&](std::size_t i) { return !has_nan(of.a[i]); };
  const auto are_numbers = [&](std::size_t i) { return !has_nan(of.a[i]) && !has_nan(of.b[i]); };
  const auto with_mask = [&](const auto& x) { return where(x, of.mask); };
  check(with_mask, is_there, is_there);
  check([](const auto& x) { return skip_nan(x); }, is_number, are_numbers);
  check([&](const auto& x) { return skip_nan(where(x, of.mask)); },
        [&](std::size_t i) { return is_there(i) && is_number(i); },
        [&](std::size_t i) { return is_there(i) && are_numbers(i); });
}

template <class T, class R>
void check_shapes(oracle::rng& random) {
  const arrays<T> of(random);
  std::vector<places> by_row(of.m), by_column(of.n), by_segment(2), by_key(3);
  std::vector<std::int64_t> offsets{0, static_cast<std::int64_t>(random.below(of.a.size() + 1)),
                                    static_cast<std::int64_t>(of.a.size())};
  std::vector<std::int32_t> keys(of.a.size());
  places all;
  for (std::size_t i = 0; i < of.a.size(); ++i) {
    all.push_back(i);
    by_row[i / of.n].push_back(i), by_column[i % of.n].push_back(i);
    by_segment[std::cmp_less(i, offsets[1]) ? 0 : 1].push_back(i);
    keys[i] = static_cast<std::int32_t>(random.below(4)) - 1;
    if (keys[i] >= 0) by_key[static_cast<std::size_t>(keys[i])].push_back(i);
  }
  const options chosen{.threads = static_cast<int>(random.below(3))};
  const options in_mode{.mode = random.coin() ? mode::fast : mode::exact};
  const rows lines{of.a.data(), of.m, of.n};
  const rows others{of.b.data(), of.m, of.n};
  with_each_filter(of, [&](const auto& wrap, const auto& stays, const auto& both_stay) {
    const auto check = [&](const auto& x, const auto& y, const std::vector<places>& each, const char* shape,
                           const options& with) { check_shape<R>(x, y, of, each, stays, both_stay, shape, with); };
    check_vector<R>(wrap(of.a), of, all, stays, both_stay, in_mode);
    check(wrap(lines), others, by_row, "rows", in_mode);
    check(wrap(columns{of.a.data(), of.m, of.n}), columns{of.b.data(), of.m, of.n}, by_column, "columns", chosen);
    check(wrap(segments{of.a, offsets}), of.b, by_segment, "segments", in_mode);
    check(wrap(groups{of.a, keys, 3, true}), of.b, by_key, "groups", chosen);
  });
}

TEST(complex_missing, have_the_bits_of_what_stays) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    oracle::rng random(seed);
    check_shapes<float, float>(random), check_shapes<double, double>(random);
    check_shapes<float, double>(random), check_shapes<double, float>(random);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(complex_missing, a_nan_is_one_in_either_part) {
  const numbers<double> x{{1, nan}, {2, 3}, {nan, 4}, {nan, nan}, {5, -6}};
  const std::complex<double> total = sum(skip_nan(x));
  EXPECT_EQ(total, std::complex<double>(7, -3));
  EXPECT_EQ(mean(skip_nan(x)), std::complex<double>(3.5, -1.5));
  EXPECT_EQ(sum_of_squares(skip_nan(x)), 13 + 61);
  const std::complex<double> first = sum(where(x, flags{1, 1, 0, 0, 1}));  // a NaN that stays
  EXPECT_EQ(first.real(), 8);
  EXPECT_TRUE(std::isnan(first.imag()));
  const numbers<double> y{{1, 0}, {0, 1}, {1, 0}, {1, 0}, {1, nan}};
  EXPECT_EQ(dot(skip_nan(x), y), std::complex<double>(-3, 2));
  EXPECT_EQ(vdot(skip_nan(x), y), std::complex<double>(3, 2));
  EXPECT_EQ(vdot(skip_nan(x), x), std::complex<double>(13 + 61, 0));
  numbers<float> out(1);
  vdot(skip_nan(rows{x.data(), 1, 5}), repeated{y.data(), 5}, out);
  EXPECT_EQ(out[0], std::complex<float>(3, 2));
  numbers<float> narrow{{1, NAN}, {2, 2}};
  EXPECT_EQ(nrm2(where(skip_nan(narrow), flags{1, 1})), std::sqrt(8.0F));
}

TEST(complex_missing, one_factor_may_be_real) {
  const numbers<float> x{{1, 2}, {3, NAN}, {0, 1}, {-2, 5}};
  const std::vector<float> w{2, 3, NAN, 7};
  const axis along{4, 8}, along_w{4, 4};
  any_grid of_x{x.data(), element_type::complex64, {}, {&along, 1}};
  const any_grid of_w{w.data(), element_type::float32, {}, {&along_w, 1}};
  std::complex<double> out;
  const any_results to{&out, element_type::complex128, {}};
  const element_filter filter{{}, true, {}};
  reduce(reduction::dot, of_x, of_w, filter, to);
  EXPECT_EQ(out, std::complex<double>(2 - 14, 4 + 35));
  reduce(reduction::dot, of_w, of_x, filter, to);
  EXPECT_EQ(out, std::complex<double>(2 - 14, 4 + 35));
  of_x.conjugated = true;
  reduce(reduction::dot, of_x, of_w, filter, to);
  EXPECT_EQ(out, std::complex<double>(2 - 14, -4 - 35));
}

TEST(complex_missing, results_in_the_other_byte_order) {
  const numbers<double> x{{1, nan}, {2, 3}};
  const any_vector all{x.data(), 2, element_type::complex128, 16};
  const detail::element_line line(all);
  double out[2] = {7, 7};
  reduce(reduction::sum, line.view(), element_filter{{}, true, {}}, {out, element_type::complex128, {}, true});
  for (double& part : out) part = std::bit_cast<double>(__builtin_bswap64(std::bit_cast<std::uint64_t>(part)));
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 3);
}

TEST(complex_missing, of_nothing) {
  const numbers<double> x{{nan, 1}, {1, nan}}, empty;
  const flags none(2);
  for (const std::complex<double> found :
       {sum(skip_nan(x)), sum(where(x, none)), dot(skip_nan(x), x), sum(skip_nan(empty)), vdot(where(x, none), x),
        sum(where(empty, flags{}))}) {
    expect_bits(found, std::complex<double>(0, 0), "nothing");
  }
  EXPECT_EQ(nrm2(skip_nan(x)), 0);
  const std::complex<double> of_mean = mean(skip_nan(x));
  EXPECT_TRUE(std::isnan(of_mean.real()) && std::isnan(of_mean.imag()));
  numbers<double> out(2, {7, 7});
  sum(skip_nan(rows{x.data(), 2, 1}), out);
  EXPECT_EQ(out, numbers<double>(2));
  mean(where(groups{x, std::vector<int>{0, 1}, 2}, none), out);
  EXPECT_TRUE(has_nan(out[0]) && has_nan(out[1]));
  sum(skip_nan(rows{x.data(), 2, 0}), out);
  EXPECT_EQ(out, numbers<double>(2));
  sum(skip_nan(rows{x.data(), 0, 2}), std::span<std::complex<double>>());
}

TEST(complex_missing, errors) {
  const numbers<double> x(6, {1, nan});
  numbers<double> out(2, {7, 7});
  const flags mask(6, 1);
  const rows lines{x.data(), 2, 3};
  expect_error(errc::size_mismatch, "where: the mask has 5 flags for 6 elements",
               [&] { (void)where(x, flags(5)); });
  expect_error(errc::size_mismatch, "7 flags", [&] { (void)where(lines, flags(7)); });
  expect_error(errc::size_mismatch, "2 flags", [&] { (void)where(lines, repeated{mask.data(), 2}); });
  expect_error(errc::size_mismatch, "5 flags", [&] { (void)where(segments{x, std::vector{0, 1}}, flags(5)); });
  expect_error(errc::size_mismatch, "vdot: the lengths", [&] { (void)vdot(skip_nan(x), numbers<double>(5)); });
  expect_error(errc::size_mismatch, "results", [&] { sum(skip_nan(rows{x.data(), 3, 2}), out); });
  expect_error(errc::bad_option, "key 2 is 2", [&] {
    vdot(skip_nan(groups{x, std::vector{0, 0, 2, 0, 0, 0}, 2}), x, out);
  });
  expect_error(errc::bad_option, "offset 1 is 7, past the end of 6", [&] {
    sum(skip_nan(segments{x, std::vector{0, 7, 6}}), out);
  });
  expect_error(errc::bad_option, "not added", [&] {
    sum(skip_nan(groups{x, std::vector<int>(6), 2}), added_to{out});
  });
  expect_error(errc::no_device, "CUDA", [&] { (void)sum(skip_nan(x), {.device = device::cuda}); });
  expect_error(errc::null_pointer, "2 vectors of 3 elements", [&] {
    sum(skip_nan(rows<std::complex<double>>{nullptr, 2, 3}), out);
  });
  EXPECT_EQ(out, numbers<double>(2, {7, 7}));
}

/// Calls whose types are known at run time only.
TEST(complex_missing, refuse_what_does_not_fit) {
  numbers<double> x(6), out(2, {7, 7});
  std::vector<double> real(4, 7);
  const element_type type = element_type::complex128;
  const axis row{2, 48}, along{3, 16}, to_real{2, 8}, to_numbers{2, 16}, flag_row{2, 3}, flags_along{3, 1},
      short_flags{2, 1};
  any_grid a{x.data(), type, {&row, 1}, {&along, 1}};
  const any_results to{out.data(), type, {&to_numbers, 1}};
  const flags mask(6, 1);
  const element_filter skips{{}, true, {}};
  const auto expect = [&](const char* words, reduction what, const element_filter& filter,
                          const any_results& results) {
    expect_error(errc::bad_option, words, [&] { reduce(what, a, filter, results); });
  };
  expect("sum_of_squares, nrm2 and dot, not max", reduction::max, skips, to);
  expect("not variance", reduction::variance, skips, {real.data(), element_type::float64, {&to_real, 1}});
  expect("not float64; use complex64", reduction::sum, skips, {real.data(), element_type::float64, {&to_real, 1}});
  expect("is real", reduction::nrm2, skips, to);
  expect("is for min and max", reduction::sum, {{}, false, any_scalar{element_type::float64, 0}}, to);
  expect("overwrite each other", reduction::sum, skips, {real.data(), type, {&to_real, 1}});
  expect("results lie within x", reduction::sum, skips, {x.data(), type, {&to_numbers, 1}});
  expect_error(errc::size_mismatch, "of their mask", [&] {
    reduce(reduction::sum, a, {{mask.data(), {&flag_row, 1}, {&short_flags, 1}}, false, {}}, to);
  });
  expect_error(errc::null_pointer, "2 results", [&] {
    reduce(reduction::sum, a, skips, {nullptr, type, {&to_numbers, 1}});
  });
  auto* const flags_of_imaginary =
      reinterpret_cast<std::uint8_t*>(out.data()) + 8;  // of which the real part is outside
  expect("results lie within where", reduction::sum,
         {{flags_of_imaginary, {&flag_row, 1}, {&flags_along, 1}}, false, {}}, to);
  a.conjugated = true;
  expect("takes no conjugates", reduction::sum, skips, to);
  const any_vector vector{x.data(), 6, type, 16};
  const std::vector<std::int32_t> offsets{0, 3, 6};
  const any_offsets of{offsets.data(), 2, element_type::int32, 4};
  expect_error(errc::bad_option, "overwrite each other", [&] {  // also without a filter
    reduce(reduction::sum, vector, of, {real.data(), type, {&to_real, 1}});
  });
  EXPECT_EQ(out, numbers<double>(2, {7, 7}));
  EXPECT_EQ(real, std::vector<double>(4, 7));
}

/// A sum of many numbers that stay takes several threads, and has the bits of one.
TEST(complex_missing, long_vectors) {
  numbers<float> many(300'000), kept;
  flags some(many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    const auto angle = static_cast<float>(i);
    many[i] = {std::sin(angle) * 1e10F, std::cos(angle)}, some[i] = i % 7 < 4 ? 1 : 0;
    if (some[i] != 0) kept.push_back(many[i]);
  }
  EXPECT_EQ(sum(where(many, some)), sum(kept));
  EXPECT_EQ(vdot(where(many, some), many, {.mode = mode::fast, .threads = 3}),
            vdot(kept, kept, {.mode = mode::fast}));
}

}  // namespace
