// The rows of the generator table, file by file, and what their functions share.
//
// Each file ends with its rows, beside the functions they name, and table.cpp puts the files together: a new
// generator touches one file, a new file of them two lines more.
#pragma once

#include <vector>

#include "oracle/generators.hpp"

namespace oracle {

template <class T>
using rows = std::vector<generator<T>>;

template <class T>
rows<T> plain_rows();  // well-behaved and degenerate data
template <class T>
rows<T> magnitude_rows();  // data whose difficulty is its range of exponents
template <class T>
rows<T> layout_rows();  // data whose difficulty is the order of its magnitudes
template <class T>
rows<T> window_rows();  // data that fill a window of exponents to its edges
template <class T>
rows<T> targeted_rows();  // data built backwards from the sum it must have
template <class T>
rows<T> ill_conditioned_rows();
template <class T>
rows<T> named_rows();  // single cases that libraries in use get wrong
template <class T>
rows<T> special_rows();  // infinities and NaNs

/// n terms, each drawn by draw(), which returns one number; a first, then b.
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
