// Random complex numbers, and their parts as the reals of a sum that a test writes out.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include "random.hpp"

namespace oracle {

/// Parts of very different sizes, of which many cancel; `with_specials`: also NaNs and infinities.
template <class T>
std::vector<std::complex<T>> random_numbers(rng& random, std::size_t n, bool with_specials = false) {
  const auto part = [&]() -> T {
    if (with_specials && random.below(200) == 0) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      return random.coin() ? std::numeric_limits<T>::quiet_NaN() : random.coin() ? infinity : -infinity;
    }
    return static_cast<T>(std::ldexp(2 * random.unit() - 1, random.between(-30, 30)));
  };
  std::vector<std::complex<T>> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = {part(), part()};
    if (i > 0 && random.below(3) == 0) x[i] = {-x[i - 1].real(), x[i - 1].imag()};
  }
  return x;
}

/// The real parts times the first factor and the imaginary ones times the second, number by number; a factor of 0 leaves
/// them out.
template <class T>
std::vector<T> parts(const std::vector<std::complex<T>>& x, T of_real, T of_imaginary) {
  std::vector<T> reals;
  for (const auto& each : x) {
    if (of_real != 0) reals.push_back(of_real * each.real());
    if (of_imaginary != 0) reals.push_back(of_imaginary * each.imag());
  }
  return reals;
}

}  // namespace oracle
