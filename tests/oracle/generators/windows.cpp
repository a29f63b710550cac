// Data that fill a window of exponents up to its limits.
//
// An engine that sums in a few anchored levels, or scales its input, has to know its limits to the exponent. Spans
// are near those that need one more level. Positions are random, or near exponents at which engines change their
// path.
#include <algorithm>
#include <cmath>

#include "oracle/generators/lists.hpp"

namespace oracle {
namespace {

/// The exponent of the largest element: random, or next to a border.
template <class T>
int random_highest_exponent(rng& random) {
  constexpr int borders[] = {-945, -622, -600, -400, -240, -126, -93, -63, 0, 63, 126, 240, 400, 500, 1000};
  const int near_border = borders[random.below(std::size(borders))] + random.between(-3, 3);
  const int any_exponent = random.between(format<T>::lowest_exponent, format<T>::highest_exponent - 1);
  return random.coin() ? std::clamp(near_border, format<T>::lowest_exponent, format<T>::highest_exponent - 1)
                       : any_exponent;
}

/// A number with an exponent in [highest - span, highest], often at one end, often with all mantissa bits set.
template <class T>
T in_window(rng& random, int highest, int span) {
  const int lowest = std::max(format<T>::lowest_exponent, highest - span);
  const std::uint64_t kind = random.below(4);
  const int exponent = kind == 0 ? highest : kind == 1 ? lowest : random.between(lowest, highest);
  if (random.below(3) != 0) return random_at<T>(random, exponent);
  const int bits = std::min(format<T>::precision, exponent - format<T>::lowest_exponent + 1);
  return compose<T>({random.coin(), (std::uint64_t{1} << bits) - 1, exponent - bits + 1});
}

/// The window moves by at most one exponent every 512 terms, so later terms may leave the window of earlier ones.
template <class T>
vectors<T> full_window(rng& random, std::size_t n) {
  const int span = random.between(28, 80);
  const int span_a = random.between(0, span);
  const std::uint64_t zeros = random.coin() ? 16 : 1u << 30;
  int exponent_a = random_highest_exponent<T>(random);
  int exponent_b = random_highest_exponent<T>(random);
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 512 == 511) {
      exponent_a = std::clamp(exponent_a + random.between(-1, 1), format<T>::lowest_exponent,
                              format<T>::highest_exponent - 1);
      exponent_b = std::clamp(exponent_b + random.between(-1, 1), format<T>::lowest_exponent,
                              format<T>::highest_exponent - 1);
    }
    const T x = random.below(zeros) == 0 ? T{0} : in_window<T>(random, exponent_a, span_a);
    v.push({x, in_window<T>(random, exponent_b, span - span_a)});
  }
  return v;
}

/// Like full_window, with terms of one sign: bins fill at the maximum rate.
template <class T>
vectors<T> full_window_of_one_sign(rng& random, std::size_t n) {
  vectors<T> v = full_window<T>(random, n);
  const T sign = random.coin() ? T{1} : T{-1};
  for (std::size_t i = 0; i < n; ++i) {
    v.a[i] = std::abs(v.a[i]);
    v.b[i] = sign * std::abs(v.b[i]);
  }
  return v;
}

/// Log-uniform below a maximum exponent.
template <class T>
vectors<T> capped_range(rng& random, std::size_t n) {
  const int cap_a = random_highest_exponent<T>(random);
  const int cap_b = random_highest_exponent<T>(random);
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    v.push({random_between<T>(random, format<T>::lowest_exponent, cap_a),
            random_between<T>(random, format<T>::lowest_exponent, cap_b)});
  }
  return v;
}

/// Uniform data with one late outlier: larger, smaller, or not finite.
template <class T>
vectors<T> late_surprise(rng& random, std::size_t n) {
  vectors<T> v = fill<T>(n, [&] { return random_uniform<T>(random); });
  if (n == 0) return v;
  const std::size_t i = n - 1 - random.below(n / 2 + 1);
  const std::uint64_t kind = random.below(8);
  const T infinity = std::numeric_limits<T>::infinity();
  v.a[i] = kind == 0 ? infinity : random_finite<T>(random);
  if (kind < 4) v.b[i] = random_finite<T>(random);
  return v;
}

}  // namespace

template <class T>
generator_list<T> window_generators() {
  return {
      {"full_window", full_window<T>},
      {"full_window_of_one_sign", full_window_of_one_sign<T>},
      {"capped_range", capped_range<T>},
      {"late_surprise", late_surprise<T>},
  };
}

template generator_list<float> window_generators();
template generator_list<double> window_generators();

}  // namespace oracle
