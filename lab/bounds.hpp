// Proved bounds on the error of a dot product, by how it is summed.
#pragma once

#include <lab/registry.hpp>

namespace exactdot::lab {

/// What a bound is computed from; all magnitudes are upper bounds.
struct bound_input {
  std::size_t n = 0;
  long double roundings = 0;  ///< the rung's own count, k
  long double magnitude = 0;  ///< S = sum |a[i]·b[i]|
  long double exact = 0;      ///< |sum a[i]·b[i]|
  bool data_is_float = true;
};

/// An upper bound on |result - exact|, where nothing overflows: infinite where none is known. Each formula stands
/// in bounds.cpp with its source.
[[nodiscard]] long double absolute_bound(error_rule rule, const bound_input& in);

/// k·u / (1 - k·u); infinite when k·u reaches 1. N. J. Higham, Accuracy and Stability of Numerical Algorithms, 3.1.
[[nodiscard]] long double gamma(long double k, long double u);

}  // namespace exactdot::lab
