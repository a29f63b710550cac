// Random numbers for tests, identical on every machine and with every standard library.
//
// The standard specifies the bits of std::mt19937_64, but not those of its distributions; this file replaces them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "oracle/bits.hpp"

namespace oracle {

class rng {
 public:
  explicit rng(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t bound) { return bits() % bound; }
  int between(int low, int high) {  // inclusive
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool coin() { return (bits() & 1) != 0; }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)

  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// A random finite number with 2^exponent <= |x| < 2^(exponent + 1) and a random sign.
/// Requires format<T>::lowest_exponent <= exponent < format<T>::highest_exponent. Subnormals have fewer random
/// bits.
template <class T>
[[nodiscard]] T random_at(rng& random, int exponent) {
  const int bits = std::min(format<T>::precision, exponent - format<T>::lowest_exponent + 1);
  const std::uint64_t leading = std::uint64_t{1} << (bits - 1);
  return compose<T>({random.coin(), leading | (random.bits() & (leading - 1)), exponent - bits + 1});
}

/// Like random_at, with an exponent uniform in [low, high].
template <class T>
[[nodiscard]] T random_between(rng& random, int low, int high) {
  return random_at<T>(random, random.between(low, high));
}

/// Like random_at, with an exponent uniform over the whole range.
template <class T>
[[nodiscard]] T random_finite(rng& random) {
  return random_between<T>(random, format<T>::lowest_exponent, format<T>::highest_exponent - 1);
}

/// Uniform in (-1, 1).
template <class T>
[[nodiscard]] T random_uniform(rng& random) {
  return static_cast<T>(2 * random.unit() - 1);
}

}  // namespace oracle
