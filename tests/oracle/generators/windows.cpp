// Data that fill a window of exponents to its edges: an engine that holds what it sees in a few anchored levels, or
// scales it first, must know to the exponent how much fits.
//
// Spans lie around those where one level more is needed; positions anywhere, or near exponents at which engines
// change their road. A guess here that is no border of any engine costs nothing.
#include <algorithm>
#include <cmath>

#include "oracle/generators/rows.hpp"

namespace oracle {
namespace {

/// The exponent of the largest element: anywhere, or next to a border.
template <class T>
int highest_exponent(rng& random) {
  constexpr int borders[] = {-945, -622, -600, -400, -240, -126, -93, -63, 0, 63, 126, 240, 400, 500, 1000};
  const int border = borders[random.below(std::size(borders))] + random.between(-3, 3);
  const int anywhere = random.between(format<T>::lowest, format<T>::top - 1);
  return random.coin() ? std::clamp(border, format<T>::lowest, format<T>::top - 1) : anywhere;
}

/// A number with its exponent in [highest - span, highest], often at one end, often with all mantissa bits set.
template <class T>
T in_window(rng& random, int highest, int span) {
  const int lowest = std::max(format<T>::lowest, highest - span);
  const std::uint64_t kind = random.below(4);
  const int exponent = kind == 0 ? highest : kind == 1 ? lowest : random.between(lowest, highest);
  if (random.below(3) != 0) return random_at<T>(random, exponent);
  const int bits = std::min(format<T>::precision, exponent - format<T>::lowest + 1);
  return join<T>({random.coin(), (std::uint64_t{1} << bits) - 1, exponent - bits + 1});
}

/// The window drifts by an exponent now and then, as if to leave the one that was measured.
template <class T>
vectors<T> full_window(rng& random, std::size_t n) {
  const int span = random.between(28, 80);
  const int span_a = random.between(0, span);
  const std::uint64_t zeros = random.coin() ? 16 : 1u << 30;
  int of_a = highest_exponent<T>(random);
  int of_b = highest_exponent<T>(random);
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 512 == 511) {
      of_a = std::clamp(of_a + random.between(-1, 1), format<T>::lowest, format<T>::top - 1);
      of_b = std::clamp(of_b + random.between(-1, 1), format<T>::lowest, format<T>::top - 1);
    }
    const T x = random.below(zeros) == 0 ? T{0} : in_window<T>(random, of_a, span_a);
    v.push({x, in_window<T>(random, of_b, span - span_a)});
  }
  return v;
}

/// As full_window, but all of one sign: bins fill as fast as they can.
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

/// Log-uniform below a cap, all the way down.
template <class T>
vectors<T> capped_range(rng& random, std::size_t n) {
  const int cap_a = highest_exponent<T>(random);
  const int cap_b = highest_exponent<T>(random);
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    v.push(
        {random_between<T>(random, format<T>::lowest, cap_a), random_between<T>(random, format<T>::lowest, cap_b)});
  }
  return v;
}

/// Mild at first; later, once, a term that does not fit what came before: larger, smaller, or not finite.
template <class T>
vectors<T> late_surprise(rng& random, std::size_t n) {
  vectors<T> v = fill<T>(n, [&] { return random_uniform<T>(random); });
  if (n == 0) return v;
  const std::size_t i = n - 1 - random.below(n / 2 + 1);
  const std::uint64_t kind = random.below(8);
  const T infinity = std::numeric_limits<T>::infinity();
  v.a[i] = kind == 0 ? infinity : random_between<T>(random, format<T>::lowest, format<T>::top - 1);
  if (kind < 4) v.b[i] = random_between<T>(random, format<T>::lowest, format<T>::top - 1);
  return v;
}

}  // namespace

template <class T>
rows<T> window_rows() {
  return {
      {"full_window", full_window<T>},
      {"full_window_of_one_sign", full_window_of_one_sign<T>},
      {"capped_range", capped_range<T>},
      {"late_surprise", late_surprise<T>},
  };
}

template rows<float> window_rows();
template rows<double> window_rows();

}  // namespace oracle
