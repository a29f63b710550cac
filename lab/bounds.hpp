// Proved error bounds of dot products, by summation technique.
#pragma once

#include <lab/registry.hpp>

namespace exactdot::lab {

/// Inputs of a bound; all magnitudes are upper bounds.
struct bound_input {
  std::size_t n = 0;
  long double roundings = 0;  ///< k, from the rung
  long double magnitude = 0;  ///< S = sum |a[i]·b[i]|
  long double exact = 0;      ///< |sum a[i]·b[i]|
  bool data_is_float = true;
  long double step = 0;  ///< of the fixed-point format; error_rule::fixed_point only
};

/// Returns an upper bound on |result - exact|, if nothing overflows; infinite if none is known. bounds.cpp gives
/// each formula with its source.
[[nodiscard]] long double absolute_bound(error_rule rule, const bound_input& in);

/// Returns k·u / (1 - k·u); infinite for k·u >= 1. N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 3.1.
[[nodiscard]] long double gamma(long double k, long double u);

}  // namespace exactdot::lab
