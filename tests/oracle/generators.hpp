// Named generators of test vectors: every kind of data on which dot products are known to go wrong.
//
// One row is one generator; every property test and the campaign run over all rows, so a new kind of data
// is one function and one row in generators/table.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/random.hpp"

namespace oracle {

/// One pair of factors. Braces, unlike arguments, are evaluated from left to right, so that what is drawn inside
/// {…, …} is the same with every compiler.
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
  /// Vectors of n terms; of more where the data needs more terms than that (an exact tie cannot have none).
  vectors<T> (*make)(rng& random, std::size_t n);
  /// Every partial sum, in any order, and every product is representable in T.
  bool exact_in_any_order = false;
};

template <class T>
[[nodiscard]] std::span<const generator<T>> generators();

/// Lengths around every border of vectors, rows and tiles, up to 4097; `long_lengths` goes on to 2^20 and over.
inline constexpr std::array<std::size_t, 43> border_lengths = {
    0,   1,   2,   3,    4,    5,    6,    7,    8,    9,    10,   11,   12,  13,  14,
    15,  16,  17,  31,   32,   33,   63,   64,   65,   127,  128,  129,  255, 256, 257,
    511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 3000, 4095, 4096, 4097};
inline constexpr std::array<std::size_t, 10> long_lengths = {8191,  8192,  8193,  16383,  16385,
                                                             65535, 65536, 65537, 100003, 1048583};

}  // namespace oracle
