// Ratios: values that rounding each step misses, the shapes of the typed calls, special values, and what is
// refused. The table (tests/table) compares every type and shape with the oracle.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <vector>

#include "expect_error.hpp"
#include "oracle/random.hpp"

namespace {

using namespace exactdot;
using oracle::rng;
using unit::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<T> random_elements(rng& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& each : x) each = static_cast<T>(std::ldexp(2 * random.unit() - 1, random.between(-20, 20)));
  return x;
}

TEST(ratios, of_a_vector_and_itself_are_1) {
  rng random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto x = random_elements<float>(random, 2 + random.below(40));
    const auto y = random_elements<double>(random, 2 + random.below(40));
    ASSERT_EQ(cosine(x, x), 1.0F);
    ASSERT_EQ(cosine<double>(x, x), 1.0);
    ASSERT_EQ(cosine(y, y), 1.0);
    ASSERT_EQ(correlation(y, y), 1.0);
    ASSERT_EQ(slope(y, y), 1.0);
    ASSERT_EQ(distance(y, y), 0.0);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(intercept(y, y)), 0U);
    ASSERT_EQ(covariance(y, y), variance(y, 1));
  }
}

/// Multiples by powers of two of differences that lose nothing.
TEST(ratios, of_points_on_a_line_are_1_or_minus_1) {
  rng random(2);
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> x(2 + random.below(30)), y(x.size()), z(x.size());
    const double step = std::ldexp(1, random.between(-300, 300)), start = 1000 * random.unit();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto place = static_cast<double>(random.below(1000) + 1000 * (k % 2));
      x[k] = place, y[k] = step * place, z[k] = -3 * place + std::floor(start);
    }
    ASSERT_EQ(correlation(x, y), 1.0);
    ASSERT_EQ(correlation(x, z), -1.0);
    ASSERT_EQ(cosine(x, y), 1.0);
    ASSERT_EQ(slope(x, y), step);
    ASSERT_EQ(slope(x, z), -3.0);
    ASSERT_EQ(intercept(x, z), std::floor(start));
  }
}

TEST(ratios, of_equal_elements_have_their_mean) {
  rng random(3);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<double> x(1 + random.below(20), std::ldexp(random.unit(), random.between(-900, 900)));
    std::vector<double> weights(x.size());
    for (double& each : weights) each = random.unit() + 0.1;
    ASSERT_EQ(weighted_mean(x, weights), x[0]);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(covariance(x, weights, 0)), 0U);
    ASSERT_EQ(standard_error(x, 0), 0.0);
  }
  EXPECT_EQ(weighted_mean(std::vector{.1, .1}, std::vector{1., 2.}), .1);
}

TEST(ratios, of_equal_elements_have_no_weighted_variance) {
  rng random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<double> x(1 + random.below(20), std::ldexp(random.unit(), random.between(-1070, 1020)));
    const auto weights = random_elements<double>(random, x.size());
    ASSERT_EQ(std::bit_cast<std::uint64_t>(weighted_variance(x, weights)), 0U);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(weighted_stddev(x, weights)), 0U);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(variance_about(x, x[0])), 0U);
  }
}

/// Results half way between two numbers, and numbers: 0 and a, or c and c + a, with weights whose sum is a power of
/// two.
template <class T>
void check_ties(int bits) {
  rng random(8);
  for (int i = 0; i < 2000; ++i) {
    const auto odd = static_cast<double>(random.below(std::uint64_t{1} << bits) | 1);  // of up to `bits` bits
    const double start = static_cast<double>(random.below(1000)), scale = std::ldexp(1, random.between(-40, 20));
    const std::vector<T> x{static_cast<T>(start * scale), static_cast<T>((start + odd) * scale)};
    const std::vector<std::int16_t> weights{3, 1};
    const auto square = static_cast<std::uint64_t>(odd) * static_cast<std::uint64_t>(odd);
    // 3·1·a²/16, and (3·0 + a²)/1 about the first element; integers below 2^64 convert by one rounding
    ASSERT_EQ(weighted_variance(x, weights), static_cast<T>(3 * square) * static_cast<T>(scale * scale / 16));
    ASSERT_EQ(variance_about(x, x[0], 1), static_cast<T>(square) * static_cast<T>(scale * scale));
    ASSERT_EQ(weighted_stddev(x, std::vector<float>{0.5F, 0.5F}), static_cast<T>(odd * scale / 2));
    ASSERT_EQ(stddev_about(x, x[1], 1), static_cast<T>(odd * scale));
  }
}
TEST(ratios, round_ties_of_variances_to_even) {
  check_ties<float>(13);
  check_ties<double>(27);
}

/// Squares that no double holds, beside others: small, large, in one vector, and above and below all doubles.
TEST(ratios, weigh_squares_of_every_exponent) {
  const auto about = [](std::vector<double> x, std::vector<double> w) { return weighted_variance(x, w); };
  EXPECT_EQ(about({3e-300, -3e-300}, {1, 1}), 0.0);
  EXPECT_EQ(weighted_stddev(std::vector{3e-300, -3e-300}, std::vector{1e-20, 1e-20}), 3e-300);
  EXPECT_EQ(weighted_stddev(std::vector{3e300, -3e300}, std::vector{1e-300, 1e-300}), 3e300);
  EXPECT_EQ(weighted_stddev(std::vector{5e-324, -5e-324}, std::vector{1e300, 1e300}), 5e-324);
  EXPECT_EQ(about({0x1p600, 0x1p-600}, {0x1p-1000, 0x1p1000}), 0x1p-800);
  EXPECT_EQ(about({0x1p600, 1, 0x1p-600}, {0x1p-1000, 0, 0x1p1000}), 0x1p-800);
  EXPECT_EQ(about({1e300, 0}, {1, 1}), infinity);
}

TEST(ratios, weigh_as_repeated_elements) {
  rng random(9);
  for (int i = 0; i < 500; ++i) {
    const auto x = random_elements<float>(random, 1 + random.below(9));
    std::vector<std::uint8_t> counts(x.size());
    std::vector<float> repeated;
    for (std::size_t k = 0; k < x.size(); ++k) {
      counts[k] = static_cast<std::uint8_t>(random.below(5));
      repeated.insert(repeated.end(), counts[k], x[k]);
    }
    for (const int ddof : {0, 1, 2}) {
      const double found = weighted_variance<double>(x, counts, ddof), expected = variance<double>(repeated, ddof);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected));
      ASSERT_EQ(weighted_stddev(x, std::vector<double>(x.size(), 1.0)), stddev<double>(x));
    }
  }
}

TEST(ratios, are_about_known_means) {
  const std::vector<float> x{1, 2, 4};
  EXPECT_EQ(variance_about(x, 1), static_cast<float>(10 / 3.0));
  EXPECT_EQ(variance_about(x, 0.1, 2), static_cast<float>(19.63));
  static_assert(std::is_same_v<decltype(variance_about(x, 0.1)), float>);
  static_assert(std::is_same_v<decltype(variance_about(x, 1LL)), float>);
  EXPECT_EQ(variance_about(std::vector{1, 3}, std::vector{1.5, 2.5}), 0.25);
  EXPECT_EQ(stddev_about(std::vector{1e300}, -1e300), 2e300);
  std::vector<float> out(2);
  const std::vector<float> y{1, 2, 3, 4, 5, 6}, means{2, 5};
  variance_about(columns{y.data(), 3, 2}, repeated{means.data(), 3, 0}, out, 1);
  EXPECT_EQ(out, (std::vector<float>{5.5F, 10}));
}

TEST(ratios, cancel_nothing) {
  const std::vector<double> x{1e9, 1e9 + 1, 1e9 + 2}, y{1, 3, 5};
  EXPECT_EQ(covariance(x, y), 2.0);
  EXPECT_EQ(covariance(x, y, 0), 4.0 / 3);
  EXPECT_EQ(slope(x, y), 2.0);
  EXPECT_EQ(intercept(x, y), 1 - 2e9);
  EXPECT_EQ(distance(std::vector{1e300, 3.0}, std::vector{1e300, -1.0}), 4.0);
  EXPECT_EQ(distance(std::vector{3e-200}, std::vector{-1e-200}), 4e-200);
  EXPECT_EQ(distance(std::vector{1e308, 0.0}, std::vector{-1e308, 0.0}), infinity);
  EXPECT_EQ(standard_error(std::vector{1.0, 3.0}), 1.0);
}

TEST(ratios, take_two_types) {
  const std::vector<float> x{1, 2, 4};
  EXPECT_EQ(weighted_mean(x, std::vector<std::int64_t>{1, 1, 2}), 2.75F);
  EXPECT_EQ(weighted_mean(std::vector<std::uint8_t>{1, 2, 4}, x), 3.0);
  static_assert(std::is_same_v<decltype(weighted_mean(x, std::vector<std::int64_t>{})), float>);
  static_assert(std::is_same_v<decltype(weighted_mean(std::vector<std::int8_t>{}, x)), float>);
  EXPECT_EQ(weighted_mean(std::vector<double>{infinity, 1}, std::vector<std::int64_t>{1, 5}), infinity);
  EXPECT_EQ(weighted_mean(std::vector<double>{-infinity, 1}, std::vector<std::int64_t>{std::int64_t{1} << 60, 5}),
            -infinity);
  EXPECT_EQ(correlation(x, std::vector<double>{1, 2, 4}), 1.0);
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // no double
  const std::vector<std::int64_t> weights{odd, 2 - odd};
  EXPECT_EQ(weighted_mean<double>(std::vector<double>{1, 0}, weights), 0x1p52);
  EXPECT_EQ(weighted_mean(std::vector<std::int64_t>{1, 2}, std::vector<std::int64_t>{odd, 0}), 1.0);
  EXPECT_EQ(distance(std::vector<std::int64_t>{odd, 0}, std::vector<float>{1, 0}), 0x1p53);
}

TEST(ratios, have_special_values) {
  const std::vector<double> x{1, 2}, one{1}, none, zeros{0, 0}, far{infinity, 1}, invalid{nan, 1};
  for (const double result : {weighted_mean(x, std::vector{1.0, -1.0}),
                              weighted_mean(none, none),
                              weighted_mean(x, zeros),
                              weighted_mean(far, zeros),
                              cosine(x, zeros),
                              cosine(none, none),
                              covariance(one, one),
                              covariance(none, none, 0),
                              correlation(one, one),
                              correlation(x, zeros),
                              slope(zeros, x),
                              intercept(zeros, x),
                              standard_error(one),
                              standard_error(none, 0),
                              cosine(far, x),
                              correlation(invalid, x),
                              distance(far, far),
                              distance(far, invalid),
                              slope(x, far),
                              weighted_mean(x, far),
                              weighted_variance(x, std::vector{1.0, -1.0}),
                              weighted_variance(x, zeros),
                              weighted_variance(none, none),
                              weighted_variance(x, std::vector{0.25, 0.5}, 1),
                              weighted_variance(x, std::vector{0.5, 0.5}, 1),
                              weighted_stddev(x, std::vector{-1.0, 3.0}),
                              weighted_variance(far, x),
                              weighted_variance(x, far),
                              weighted_variance(invalid, zeros),
                              variance_about(none, 1.0),
                              variance_about(far, infinity),
                              variance_about(one, 0.0, 1),
                              variance_about(far, 0.0, 2)}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result), std::bit_cast<std::uint64_t>(nan));
  }
  EXPECT_EQ(distance(none, none), 0.0);
  EXPECT_EQ(distance(far, x), infinity);
  EXPECT_EQ(distance(x, std::vector{1.0, -infinity}), infinity);
  EXPECT_EQ(weighted_mean(far, x), infinity);
  EXPECT_EQ(variance_about(far, 0), infinity);
  EXPECT_EQ(weighted_variance(x, std::vector{-1.0, 3.0}), -0.75);
  EXPECT_EQ(weighted_variance(x, std::vector{-1.0, -1.0}), 0.25);
  EXPECT_EQ(weighted_mean(far, std::vector{-1.0, 3.0}), -infinity);
  EXPECT_EQ(covariance(one, one, 0), 0.0);
}

TEST(ratios, of_shapes_have_the_bits_of_vectors) {
  rng random(4);
  constexpr std::size_t m = 300, n = 23;
  const auto x = random_elements<double>(random, m * n), y = random_elements<double>(random, m * n);
  std::vector<double> out(m), expected(m);
  const auto row = [&](const std::vector<double>& of, std::size_t i) { return std::span(of).subspan(i * n, n); };
  correlation(rows{x.data(), m, n}, rows{y.data(), m, n}, out);
  for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(out[i], correlation(row(x, i), row(y, i))) << i;
  weighted_mean(rows{x.data(), m, n}, repeated{y.data(), n}, out);
  for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(out[i], weighted_mean(row(x, i), row(y, 0))) << i;
  std::vector<float> narrow(n);
  covariance(columns{x.data(), m, n}, columns{y.data(), m, n}, narrow, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const strided<double> a{&x[i], m, n}, b{&y[i], m, n};
    ASSERT_EQ(narrow[i], covariance<float>(a, b, 0)) << i;
  }
  standard_error(rows{x.data(), m, n}, out);
  for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(out[i], standard_error(row(x, i))) << i;

  std::vector<std::int32_t> offsets{0}, keys(x.size());
  while (offsets.size() <= m) offsets.push_back(offsets.back() + static_cast<std::int32_t>(random.below(40)) % 23);
  slope(segments{x, offsets}, y, out);
  for (std::size_t i = 0; i < m; ++i) {
    const auto first = static_cast<std::size_t>(offsets[i]),
               length = static_cast<std::size_t>(offsets[i + 1]) - first;
    const double found = slope(std::span(x).subspan(first, length), std::span(y).subspan(first, length));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(out[i]), std::bit_cast<std::uint64_t>(found)) << i;
  }
  std::vector<std::vector<double>> of_x(m), of_y(m);
  for (std::size_t i = 0; i < x.size(); ++i) {
    keys[i] = static_cast<std::int32_t>(random.below(m));
    of_x[static_cast<std::size_t>(keys[i])].push_back(x[i]),
        of_y[static_cast<std::size_t>(keys[i])].push_back(y[i]);
  }
  distance(groups{x, keys, m}, y, out);
  for (std::size_t i = 0; i < m; ++i) ASSERT_EQ(out[i], distance(of_x[i], of_y[i])) << i;
}

/// One value of x for all columns of y, of another type.
TEST(ratios, of_groups_take_a_repeated_vector_first) {
  constexpr std::size_t n = 50, count = 4;
  rng random(6);
  std::vector<std::int64_t> x(n), keys(n);
  const auto y = random_elements<double>(random, 3 * n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = random.between(-100, 100), keys[i] = static_cast<std::int64_t>(random.below(count));
  std::vector<double> out(3 * count);
  const axis columns{3, 8}, repeated_columns{3, 0}, elements{n, 24}, of_one{n, 8};
  const axis places[] = {{count, 24}, {3, 8}};
  reduce(reduction::slope, any_grid{x.data(), element_type::int64, {&repeated_columns, 1}, {&of_one, 1}},
         any_grid{y.data(), element_type::float64, {&columns, 1}, {&elements, 1}},
         any_keys{keys.data(), n, element_type::int64, 8, count},
         any_results{out.data(), element_type::float64, places});
  for (std::size_t group = 0; group < count; ++group) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<std::int64_t> of_x;
      std::vector<double> of_y;
      for (std::size_t i = 0; i < n; ++i) {
        if (keys[i] == static_cast<std::int64_t>(group)) of_x.push_back(x[i]), of_y.push_back(y[3 * i + k]);
      }
      ASSERT_EQ(out[3 * group + k], slope(of_x, of_y));
    }
  }
}

/// So many groups that their states are made in several passes over the keys, and columns beside them.
TEST(ratios, of_many_groups_have_the_bits_of_vectors) {
  rng random(5);
  constexpr std::size_t n = 60'000, count = 40'000;
  const auto x = random_elements<double>(random, 2 * n), y = random_elements<double>(random, n);
  std::vector<std::int64_t> keys(n);
  std::vector<std::vector<double>> of_x[2], of_y(count);
  for (auto& column : of_x) column.resize(count);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::int64_t>(random.below(count));
    for (std::size_t k = 0; k < 2; ++k) of_x[k][static_cast<std::size_t>(keys[i])].push_back(x[2 * i + k]);
    of_y[static_cast<std::size_t>(keys[i])].push_back(y[i]);
  }
  std::vector<double> out(2 * count);
  const axis columns{2, 8}, repeated_columns{2, 0}, elements{n, 16}, of_one{n, 8};
  const axis places[] = {{count, 16}, {2, 8}};
  reduce(reduction::correlation, any_grid{x.data(), element_type::float64, {&columns, 1}, {&elements, 1}},
         any_grid{y.data(), element_type::float64, {&repeated_columns, 1}, {&of_one, 1}},
         any_keys{keys.data(), n, element_type::int64, 8, count},
         any_results{out.data(), element_type::float64, places});
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const double expected = correlation(of_x[k][i], of_y[i]);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(out[2 * i + k]), std::bit_cast<std::uint64_t>(expected)) << i;
    }
  }
}

TEST(ratios, of_all_pairs_are_symmetric) {
  rng random(10);
  constexpr std::size_t m = 7, n = 41;
  auto x = random_elements<float>(random, m * n);
  for (std::size_t i = 0; i < m; ++i) x[i * n + 3] = x[(i / 2) * n + 3];
  std::fill_n(&x[2 * n], n, 0.1F);  // a constant row
  std::vector<float> covariances(m * m), correlations(m * m), of_columns(n * n);
  covariance_matrix(rows{x.data(), m, n}, covariances, 1, {.threads = 3});
  correlation_matrix(rows{x.data(), m, n}, correlations);
  covariance_matrix(columns{x.data(), m, n}, of_columns, 0);
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = std::span(x).subspan(i * n, n);
    ASSERT_EQ(bits(covariances[i * m + i]), bits(variance(row, 1)));
    ASSERT_TRUE(i == 2 ? std::isnan(correlations[i * m + i]) : correlations[i * m + i] == 1);
    for (std::size_t k = 0; k < m; ++k) {
      const auto other = std::span(x).subspan(k * n, n);
      ASSERT_EQ(bits(covariances[i * m + k]), bits(covariance(row, other)));
      ASSERT_EQ(bits(correlations[i * m + k]), bits(correlation(row, other)));
      ASSERT_EQ(bits(correlations[i * m + k]), bits(correlations[k * m + i]));
    }
  }
  for (const auto& [i, k] : {std::pair(0UL, 5UL), std::pair(5UL, 0UL), std::pair(40UL, 40UL)}) {
    ASSERT_EQ(of_columns[i * n + k], covariance(strided<float>{&x[i], m, n}, strided<float>{&x[k], m, n}, 0));
  }
  std::vector<float> few(m * m - 1), none;
  expect_error(errc::size_mismatch,
               "covariance_matrix: the matrix of all pairs has a result for each of 7 x 7 pairs, not 48", [&] {
                 covariance_matrix(rows{x.data(), m, n}, few);
               });
  expect_error(errc::bad_option, "results lie within a", [&] {
    correlation_matrix(rows{x.data(), 2, 3}, std::span(x).first(4));
  });
  covariance_matrix(rows{x.data(), 0, n}, none);
}

template <class T>
void check_pairs(rng& random, int ddof) {
  const std::size_t n = random.below(30), first = random.below(n + 1);
  const auto x = random_elements<T>(random, n), y = random_elements<T>(random, n);
  bivariate_moments<T> left, right;
  const auto part = [](const std::vector<T>& of, std::size_t from, std::size_t to) {
    return std::span(of).subspan(from, to - from);
  };
  left.add(part(x, 0, first), part(y, 0, first));
  right.add(part(x, first, n), part(y, first, n));
  const bivariate_moments<T> sent(right.words());
  const auto sum = left + sent;
  left += right;
  ASSERT_EQ(left, sum);
  ASSERT_EQ(left.words(), sum.words());
  ASSERT_EQ(left.count(), n);
  bivariate_moments<double> wide(left);
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  for (const auto& check : {std::pair(left.template covariance<double>(ddof), covariance<double>(x, y, ddof)),
                            std::pair(wide.covariance<double>(ddof), covariance<double>(x, y, ddof)),
                            std::pair(left.template correlation<double>(), correlation<double>(x, y)),
                            std::pair(left.template slope<double>(), slope<double>(x, y)),
                            std::pair(left.template intercept<double>(), intercept<double>(x, y)),
                            std::pair(left.template cosine<double>(), cosine<double>(x, y)),
                            std::pair(left.template distance<double>(), distance<double>(x, y)),
                            std::pair(left.template weighted_mean<double>(), weighted_mean<double>(x, y))}) {
    ASSERT_TRUE(same(check.first, check.second)) << check.first << ' ' << check.second;
  }
  ASSERT_TRUE(same(left.template slope<float>(), slope<float>(x, y)));
}
TEST(ratios, of_merged_moments_have_the_bits_of_the_whole) {
  rng random(11);
  for (int i = 0; i < 200; ++i)
    check_pairs<float>(random, i % 3), check_pairs<double>(random, i % 2), check_pairs<std::int64_t>(random, 1);
}

TEST(ratios, of_moments_refuse_impossible_words_and_lose_nothing) {
  bivariate_moments<float> pairs;
  pairs.add(1.0F, std::int8_t{2}), pairs.add(std::vector{2.0F, 4.0F}, std::vector{3.0F, 5.0F});
  EXPECT_EQ(pairs.count(), 3U);
  EXPECT_EQ(pairs.correlation<double>(),
            correlation<double>(std::vector{1.0, 2.0, 4.0}, std::vector{2.0, 3.0, 5.0}));
  const auto before = pairs.words();
  expect_error(errc::size_mismatch, "bivariate_moments: the vectors differ in length", [&] {
    pairs.add(std::vector{1.0F}, std::vector{1.0F, 2.0F});
  });
  EXPECT_EQ(pairs.words(), before);
  expect_error(errc::bad_option, "bivariate_moments: ddof is -1", [&] { (void)pairs.covariance<double>(-1); });
  auto words = before;
  words[0] = 0;
  expect_error(errc::bad_option, "the count is 0, the sums are not", [&] { bivariate_moments<float>{words}; });
  words[0] = 1;
  expect_error(errc::bad_option, "these words are the moments of no elements",
               [&] { bivariate_moments<float>{words}; });
  expect_error(errc::size_mismatch, "bivariate_moments: 5 words; states of float32 have",
               [&] { bivariate_moments<float>(std::span(words).first(5)); });
}

TEST(ratios, refuse_what_they_cannot_do) {
  const std::vector<double> x{1, 2, 3}, y{1, 2};
  std::vector<double> out(1);
  expect_error(errc::size_mismatch, "cosine: the vectors differ in length (3 and 2 elements)",
               [&] { (void)cosine(x, y); });
  expect_error(errc::bad_option, "correlation: mode fast has no correlation; use mode exact",
               [&] { (void)correlation(x, x, {.mode = mode::fast}); });
  expect_error(errc::bad_option, "covariance: ddof is -1; use 0 or more", [&] { (void)covariance(x, x, -1); });
  expect_error(errc::bad_option, "slope: results lie within a, or may; pass memory outside the array", [&] {
    std::vector<double> z{1, 2, 3};
    slope(rows{z.data(), 1, 3}, rows{x.data(), 1, 3}, std::span(z).first(1));
  });
  expect_error(errc::bad_option, "weighted_variance: ddof is -1; use 0 or more",
               [&] { (void)weighted_variance(x, x, -1); });
  expect_error(errc::size_mismatch, "the shapes of the batch and of its results differ", [&] {
    cosine(rows{x.data(), 3, 1}, rows{x.data(), 3, 1}, out);
  });
  const std::vector<int> keys{0, 1, 5};
  std::vector<double> two(2);
  expect_error(errc::bad_option, "key", [&] { cosine(groups{x, keys, 2}, x, two); });
  expect_error(errc::bad_option, "the result type is int64; use a floating-point type",
               [&] { (void)reduce(reduction::cosine, to_any(x), to_any(x), element_type::int64); });
  expect_error(errc::bad_option, "sum takes one vector",
               [&] { (void)reduce(reduction::sum, to_any(x), to_any(x), element_type::float64); });
  expect_error(errc::bad_option, "cosine takes two vectors",
               [&] { (void)reduce(reduction::cosine, to_any(x), element_type::float64); });
  expect_error(errc::bad_option, "has no states", [&] {
    std::vector<std::int64_t> words(100);
    reduce_into(reduction::standard_error, any_grid{x.data(), element_type::float64, {}, {}}, words);
  });
  EXPECT_EQ(state_words<double>(reduction::correlation), 0U);
}

}  // namespace
