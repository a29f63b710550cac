// Named generators of test vectors: the kinds of data on which dot products are known to fail.
//
// Every property test and the campaign use all generators. A new kind of data needs one function and one entry in
// the list at the end of its file in generators/.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/random.hpp"

namespace oracle {

/// A pair of factors. Initializers in braces are evaluated from left to right, unlike arguments, so random numbers
/// that are drawn in {…, …} are the same with every compiler.
template <class T>
struct term {
  T x;
  T y;
};

template <class T>
struct vectors {
  std::vector<T> a;
  std::vector<T> b;

  [[nodiscard]] std::size_t size() const { return a.size(); }
  void push(term<T> next) { a.push_back(next.x), b.push_back(next.y); }
};

/// Reorders the terms at random.
template <class T>
void shuffle(rng& random, vectors<T>& v) {
  for (std::size_t i = v.size(); i > 1; --i) {
    const std::size_t j = random.below(i);
    std::swap(v.a[i - 1], v.a[j]);
    std::swap(v.b[i - 1], v.b[j]);
  }
}

template <class T>
struct generator {
  std::string_view name;
  /// Returns at least n terms; more than n if the kind of data requires it (an exact tie has at least one term).
  vectors<T> (*make)(rng& random, std::size_t n);
  /// Every product, and every partial sum in any order, is representable in T.
  bool exact_in_any_order = false;
};

template <class T>
[[nodiscard]] std::span<const generator<T>> generators();

/// Lengths next to the borders of SIMD registers, rows and tiles, up to 4097. long_lengths continues beyond 2^20.
inline constexpr std::array<std::size_t, 43> border_lengths = {
    0,   1,   2,   3,    4,    5,    6,    7,    8,    9,    10,   11,   12,  13,  14,
    15,  16,  17,  31,   32,   33,   63,   64,   65,   127,  128,  129,  255, 256, 257,
    511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 3000, 4095, 4096, 4097};
inline constexpr std::array<std::size_t, 10> long_lengths = {8191,  8192,  8193,  16383,  16385,
                                                             65535, 65536, 65537, 100003, 1048583};

}  // namespace oracle
