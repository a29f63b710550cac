// Variances of elements that differ little from each other, or not at all, which bounded sums leave open: every
// element type, vectors in place, with a stride and on several threads, rows, columns, segments and groups, against
// the oracle.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <numeric>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace exactdot;
using oracle::rng;

enum class closeness {
  equal,
  nearly_equal,
  far_from_zero,
  two_values,
  zeros_of_both_signs,
  one_far_away,
  special,
  last_differs,
  all_special,
  count
};

/// Elements around a number of any size that T holds.
template <class T>
std::vector<T> close_elements(rng& random, closeness how, std::size_t n) {
  const element_info& info = info_of(type_of<T>);
  const int span = info.exponent_bits == 0 ? info.precision : (1 << (info.exponent_bits - 1)) - 2;
  const double base = std::ldexp(1 + random.unit(), info.exponent_bits == 0 ? random.between(0, span - 1) / 2
                                                                            : random.between(-span + 2, span - 2));
  const double ulp = std::ldexp(1, std::ilogb(base) - info.precision + 1);
  const double step = info.exponent_bits == 0 ? 1 : ulp;
  std::vector<T> x(n);
  for (T& each : x) {
    double value = base;
    if (how == closeness::last_differs && &each == &x.back()) value += step;
    if (how == closeness::nearly_equal) value += step * random.between(-1, 1);
    if (how == closeness::far_from_zero)
      value += step * random.between(-3, 3) + 0.25 * step * random.between(-1, 1);
    if (how == closeness::two_values) value = random.coin() ? base : base + base / 2;
    if (how == closeness::zeros_of_both_signs) value = random.coin() ? 0.0 : -0.0;
    each = static_cast<T>(static_cast<std::conditional_t<sizeof(T) == 1 || sizeof(T) == 2, float, double>>(value));
  }
  if constexpr (!integer_element<T>) {
    T& some = x[random.below(n)];
    if (how == closeness::one_far_away)
      some = static_cast<T>(static_cast<float>(std::ldexp(base, random.coin() ? 9 : -9)));
    const T special = random.coin() ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
    if (how == closeness::special) some = special;
    if (how == closeness::all_special) std::fill(x.begin(), x.end(), special);
  }
  return x;
}

template <class T>
class variances : public testing::Test {};
using tested_types =
    testing::Types<float, double, float16, bfloat16, float8_e4m3fn, float8_e5m2, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(variances, tested_types);

/// Calls check(elements, what, ddof) for elements of every closeness and for several lengths.
template <class T, class Check>
void for_close_elements(std::uint64_t seed, std::initializer_list<std::size_t> lengths, Check check) {
  rng random(seed);
  for (int repeat = 0; repeat < oracle::scaled(40); ++repeat) {
    for (const std::size_t n : lengths) {
      for (int how = 0; how < static_cast<int>(closeness::count); ++how) {
        const std::vector<T> x = close_elements<T>(random, static_cast<closeness>(how), n);
        const reduction what = random.coin() ? reduction::variance : reduction::stddev;
        check(x, what, static_cast<std::int64_t>(random.below(3)), random);
        if (testing::Test::HasFailure()) FAIL() << "closeness " << how << ", n = " << n;
      }
    }
  }
}

any_scalar expected_of(const any_vector& x, reduction what, std::int64_t ddof, element_type type) {
  return *oracle::reference(what, x, x, ddof).exact(type);
}

template <class T>
element_type result_of(rng& random) {
  if constexpr (integer_element<T>) return element_type::float64;
  return random.coin() ? type_of<T> : element_type::float64;
}

TYPED_TEST(variances, of_vectors) {
  using T = TypeParam;
  for_close_elements<T>(
      1, {1, 2, 3, 17, 1000, 1024, 2500},
      [](const std::vector<T>& x, reduction what, std::int64_t ddof, rng& random) {
        const element_type type = result_of<T>(random);
        for (const std::size_t step : {1, 3}) {
          const any_vector view(x.data(), (x.size() + step - 1) / step, type_of<T>,
                                static_cast<std::ptrdiff_t>(step * sizeof(T)));
          EXPECT_EQ(oracle::difference(expected_of(view, what, ddof, type), reduce(what, view, type, {}, ddof)),
                    "");
        }
      });
}

TYPED_TEST(variances, on_several_threads) {
  using T = TypeParam;
  for_close_elements<T>(2, {70'000}, [](const std::vector<T>& x, reduction what, std::int64_t ddof, rng& random) {
    if (random.below(8) != 0) return;  // the oracle takes its time
    const any_vector view(x.data(), x.size(), type_of<T>);
    EXPECT_EQ(oracle::difference(expected_of(view, what, ddof, element_type::float64),
                                 reduce(what, view, element_type::float64, {.threads = 3}, ddof)),
              "");
  });
}

/// Variances of `lines` stretches of x: as rows, as columns, as segments and as groups in a shuffled order.
template <class T>
class variances_of_lines {
 public:
  variances_of_lines(const std::vector<T>& x, std::size_t lines, reduction what, std::int64_t ddof, rng& random)
      : what_(what), ddof_(ddof), n_(x.size() / lines), of_results_{lines, sizeof(double)} {
    options_.threads = random.coin() ? 1 : 3;
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    const auto rows = to(by_rows), columns = to(by_columns), segments = to(by_segments), groups = to(by_groups);
    reduce_axes(x, {lines, static_cast<std::ptrdiff_t>(n_) * size}, {n_, size}, rows);

    std::vector<T> turned(x.size()), shuffled(x.size());
    std::vector<std::int32_t> keys(x.size());
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    for (std::size_t i = 0; i < x.size(); ++i) {
      turned[i % n_ * lines + i / n_] = x[i];
      shuffled[order[i]] = x[i], keys[order[i]] = static_cast<std::int32_t>(i / n_);
    }
    reduce_axes(turned, {lines, size}, {n_, static_cast<std::ptrdiff_t>(lines) * size}, columns);

    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i <= lines; ++i) offsets.push_back(static_cast<std::int64_t>(i * n_));
    reduce(what, any_vector(x.data(), x.size(), type_of<T>), any_offsets{offsets.data(), lines}, segments, options_,
           ddof);
    reduce(what, any_vector(shuffled.data(), x.size(), type_of<T>),
           any_keys{keys.data(), keys.size(), element_type::int32, sizeof(std::int32_t), lines}, groups, options_,
           ddof);
  }

  std::vector<double> by_rows, by_columns, by_segments, by_groups;

 private:
  any_results to(std::vector<double>& results) const {
    results.resize(of_results_.n);
    return {results.data(), element_type::float64, {&of_results_, 1}};
  }
  void reduce_axes(const std::vector<T>& x, axis of_lines, axis of_elements, const any_results& out) const {
    reduce(what_, any_grid{x.data(), type_of<T>, {&of_lines, 1}, {&of_elements, 1}}, out, options_, ddof_);
  }

  reduction what_;
  std::int64_t ddof_;
  std::size_t n_;
  axis of_results_;
  options options_;
};

/// Compares the variances of `lines` stretches of x with the oracle's.
template <class T>
void check_lines(const std::vector<T>& x, std::size_t lines, reduction what, std::int64_t ddof, rng& random) {
  const variances_of_lines<T> found(x, lines, what, ddof, random);
  const std::size_t n = x.size() / lines;
  for (std::size_t i = 0; i < lines; ++i) {
    const any_scalar expected =
        expected_of(any_vector(&x[i * n], n, type_of<T>), what, ddof, element_type::float64);
    for (const auto* results : {&found.by_rows, &found.by_columns, &found.by_segments, &found.by_groups})
      EXPECT_EQ(expected.bits, std::bit_cast<std::uint64_t>((*results)[i])) << "line " << i << " of " << lines;
  }
}

TYPED_TEST(variances, of_shapes) {
  using T = TypeParam;
  constexpr std::size_t lines = 7;
  for_close_elements<T>(3, {lines * 2, lines * 33, lines * 300, lines * 1100},
                        [](const std::vector<T>& x, reduction what, std::int64_t ddof, rng& random) {
                          check_lines(x, lines, what, ddof, random);
                        });
}

/// Lines of equal elements beside others, where many are decided and compared at once.
TYPED_TEST(variances, beside_others) {
  using T = TypeParam;
  rng random(4);
  for (int repeat = 0; repeat < oracle::scaled(8); ++repeat) {
    for (const std::size_t n : {2, 5, 17, 33, 70}) {
      const std::size_t lines = 9 + random.below(90);
      const bool most_equal = random.coin();
      std::vector<T> x;
      for (std::size_t i = 0; i < lines; ++i) {
        const auto how = static_cast<closeness>(random.below(static_cast<std::uint64_t>(closeness::count)));
        const bool is_equal = most_equal && random.below(4) != 0;
        const std::vector<T> line = close_elements<T>(random, is_equal ? closeness::equal : how, n);
        x.insert(x.end(), line.begin(), line.end());
      }
      check_lines(x, lines, random.coin() ? reduction::variance : reduction::stddev,
                  static_cast<std::int64_t>(random.below(3)), random);
      if (testing::Test::HasFailure()) FAIL() << lines << " lines of " << n;
    }
  }
}

/// A NaN of any bits is no first element that others equal.
TEST(variances_of_nans, with_every_bit) {
  const auto nan = std::bit_cast<double>(~std::uint64_t{0});
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<double> x(6, 3.75), found(2);
    x[2 * place] = nan;  // of the first group
    variance(groups{x, std::vector<int>{0, 1, 0, 1, 0, 1}, 2}, found, 0);
    EXPECT_TRUE(std::isnan(found[0]) && std::bit_cast<std::uint64_t>(found[1]) == 0) << place;
  }
}

}  // namespace
