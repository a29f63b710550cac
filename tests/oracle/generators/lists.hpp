// The lists of generators, one per file, and a function that the generators share.
//
// Each file ends with the list of its generators; table.cpp concatenates the lists. A new generator changes one
// file; a new file needs one declaration in this header and one entry in table.cpp.
#pragma once

#include <vector>

#include "oracle/generators.hpp"

namespace oracle {

template <class T>
using generator_list = std::vector<generator<T>>;

template <class T>
generator_list<T> plain_generators();  // well-behaved and degenerate data
template <class T>
generator_list<T> magnitude_generators();  // data whose difficulty is its range of exponents
template <class T>
generator_list<T> layout_generators();  // data whose difficulty is the order of its magnitudes
template <class T>
generator_list<T> window_generators();  // data that fill a window of exponents up to its limits
template <class T>
generator_list<T> targeted_generators();  // data with a prescribed sum
template <class T>
generator_list<T> ill_conditioned_generators();
template <class T>
generator_list<T> named_generators();  // single cases in which published libraries return wrong results
template <class T>
generator_list<T> special_generators();  // infinities and NaNs

/// n terms of numbers that draw() returns: the factor of a first, then the factor of b.
template <class T, class Draw>
[[nodiscard]] vectors<T> fill(std::size_t n, Draw draw) {
  vectors<T> v;
  for (std::size_t i = 0; i < n; ++i) {
    const T x = draw();
    v.push({x, draw()});
  }
  return v;
}

}  // namespace oracle
