// The vectors of the golden bits of order v1. They must not change either.
//
// Magnitudes spread over 2^-20 … 2^20, so that a sum in any other order rounds to other bits.
#pragma once

#include <array>
#include <cstddef>

#include "oracle/generators.hpp"

namespace golden {

inline constexpr std::array<std::size_t, 22> lengths = {1,    2,    3,     63,    64,    65,    127,  128,
                                                        129,  511,  1000,  1023,  1024,  1025,  2047, 2048,
                                                        2049, 4097, 10000, 16385, 65537, 100003};

template <class T>
[[nodiscard]] oracle::vectors<T> data(std::size_t n) {
  oracle::rng random(n);
  oracle::vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T x = oracle::random_between<T>(random, -20, 20);
    v.push({x, oracle::random_between<T>(random, -20, 20)});
  }
  return v;
}

}  // namespace golden
