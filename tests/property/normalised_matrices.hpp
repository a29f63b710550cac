// Matrices whose rows tests normalise: of many kinds, and such that results are ties.
#pragma once

#include <algorithm>
#include <cmath>
#include <exactdot/core/format.hpp>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/normalised.hpp"
#include "oracle/random.hpp"

namespace exactdot::tests {

using oracle::rng;

template <class T>
using wider = std::conditional_t<sizeof(T) == sizeof(double), double, float>;
template <class T>
T to(double x) {
  return static_cast<T>(static_cast<wider<T>>(x));
}
template <class T>
double of(T x) {
  return static_cast<double>(static_cast<wider<T>>(x));
}
template <class T>
constexpr oracle::result_format format_of_results = {core::format<T>::precision, core::format<T>::exponent_bits};

/// Rows of one length, with weights and biases, which may be none.
template <class T, class Parameter>
struct matrix {
  std::size_t m, n;
  std::vector<T> x;
  std::vector<Parameter> weight, bias;
  double epsilon;
};

/// ±[1, 2)·2^e with e in a range within that of the type.
template <class T>
T number(rng& random, int low, int high) {
  const int top = core::format<T>::highest_exponent - 1, bottom = core::format<T>::lowest_exponent;
  const double significand = (1 + random.unit()) * (random.coin() ? 1 : -1);
  return to<T>(std::ldexp(significand, random.between(std::max(low, bottom), std::min(high, top))));
}

enum class kind {
  plain,
  small_integers,
  any_size,
  close,
  equal,
  powers_of_two,
  zeros,
  subnormal,
  huge,
  one_of_all,
  count
};

template <class T>
void fill_row(rng& random, kind how, T* x, std::size_t n) {
  const int top = core::format<T>::highest_exponent - 1, bottom = core::format<T>::lowest_exponent;
  const T base = number<T>(random, -6, 6);
  const double step = std::ldexp(1, std::ilogb(of(base)) - core::format<T>::precision + 1);
  for (std::size_t i = 0; i < n; ++i) {
    switch (how) {
      case kind::plain:
        x[i] = number<T>(random, -3, 2);
        break;
      case kind::small_integers:
        x[i] = to<T>(random.between(-4, 4));
        break;
      case kind::any_size:
        x[i] = number<T>(random, bottom, top);
        break;
      case kind::close:
        x[i] = to<T>(of(base) + step * random.between(-2, 2));
        break;
      case kind::equal:
        x[i] = base;
        break;
      case kind::powers_of_two:
        x[i] = to<T>(std::ldexp(random.coin() ? 1 : -1, random.between(-2, 0)));
        break;
      case kind::zeros:
        x[i] = to<T>(random.coin() ? 0.0 : -0.0);
        break;
      case kind::subnormal:
        x[i] = number<T>(random, bottom, bottom + 3);
        break;
      case kind::huge:
        x[i] = number<T>(random, top - 1, top);
        break;
      default:
        x[i] = to<T>(i == 0 ? 1 : 0);
    }
  }
}

template <class T, class Parameter>
matrix<T, Parameter> random_matrix(rng& random, std::size_t longest) {
  matrix<T, Parameter> of{};
  of.m = 1 + random.below(4), of.n = 1 + random.below(random.below(4) == 0 ? longest : 40);
  of.x.resize(of.m * of.n);
  for (std::size_t i = 0; i < of.m; ++i) {
    fill_row(random, static_cast<kind>(random.below(static_cast<std::uint64_t>(kind::count))), &of.x[i * of.n],
             of.n);
  }
  const int size = random.below(3) == 0 ? 40 : 2;
  const auto fill = [&](std::vector<Parameter>& to_fill) {
    if (random.below(4) == 0) return;
    to_fill.resize(of.n);
    for (auto& each : to_fill) each = number<Parameter>(random, -size, size);
    if (random.below(4) == 0) std::ranges::fill(to_fill, to<Parameter>(random.coin() ? -0.0 : 1.0));
  };
  fill(of.weight), fill(of.bias);
  constexpr double epsilons[] = {1e-5, 0, 0, 1e-6, 1, 1e-150, 1e100};
  of.epsilon = epsilons[random.below(std::size(epsilons))];
  return of;
}

/// Makes k·w + b a tie of T that is much smaller than both, which only the bound of the product leaves open; or b a
/// tie beside which the product is too small for a double of their sum.
template <class T, class Parameter>
void cancel(rng& random, int k, Parameter& w, Parameter& b) {
  constexpr int bits = core::format<Parameter>::precision - 4;  // k·w + b fits the parameters
  if constexpr (bits > core::format<T>::precision + 1) {
    const double unit = std::ldexp(1, random.between(-12, -6) - bits);
    const auto product = static_cast<double>(random.below(std::uint64_t{1} << bits));
    const auto result = static_cast<double>(2 * (random.bits() >> (65 - core::format<T>::precision)) + 1 +
                                            (std::uint64_t{1} << core::format<T>::precision));
    w = static_cast<Parameter>(product * unit), b = static_cast<Parameter>((result - k * product) * unit);
    if (random.coin()) {
      w = std::ldexp(random.coin() ? w : -w, -random.between(50, 90)), b = static_cast<Parameter>(result * unit);
    }
  }
}

/// One element of the row of one among k², times a weight of the parameters' precision: k·w + b of one bit more.
/// A layer norm of one among k² + 1 is the same.
template <class T, class Parameter>
matrix<T, Parameter> matrix_of_ties(rng& random, bool is_centred) {
  const int k = 3 + 2 * static_cast<int>(random.below(4)), precision = core::format<T>::precision;
  matrix<T, Parameter> of{};
  of.m = 1, of.n = static_cast<std::size_t>(k * k) + is_centred, of.epsilon = 0;
  of.x.assign(of.n, to<T>(0));
  const std::size_t place = random.below(of.n);
  of.x[place] = number<T>(random, -2, 2);
  of.weight.assign(of.n, to<Parameter>(1));
  const bool is_low = random.below(4) == 0;  // results around the last bit of subnormal numbers
  const auto odd = 2 * (random.bits() & ((std::uint64_t{1} << (precision - 2)) - 1)) + 1;
  const double wanted = static_cast<double>(odd | std::uint64_t{1} << (is_low ? 3 : precision - 3));
  const int exponent = is_low ? core::format<T>::lowest_exponent - 1 : random.between(-20, 2) / 2;
  of.weight[place] = to<Parameter>(std::ldexp(is_low ? std::fmod(wanted, 128) : wanted, exponent));
  if (random.coin()) {
    of.bias.assign(of.n, to<Parameter>(0));
    of.bias[place] = to<Parameter>(-of.weight[place] * (random.coin() ? 1 : 2));
    if (is_centred && random.coin()) cancel<T>(random, k, of.weight[place], of.bias[place]);
  }
  return of;
}

}  // namespace exactdot::tests
