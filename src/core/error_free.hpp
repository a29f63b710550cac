// Error-free transforms: a floating-point result together with its rounding error, both exact.
//
// Valid in rounding to nearest, without overflow, and for products without underflow of the error: the
// callers see to that. Sources: Dekker 1971 (FastTwoSum), Knuth TAOCP 2 §4.2.2 (TwoSum),
// Ogita, Rump, Oishi 2005, Algorithm 3.5 (TwoProductFMA).
#pragma once

#include <core/config.hpp>

namespace exactdot::core {

template <class T>
struct with_error {
  T value;
  T error;
};

/// value + error == a + b exactly. 6 flops.
template <class T>
EXACTDOT_CORE with_error<T> two_sum(T a, T b) {
  const T sum = a + b;
  const T b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// The same if |a| >= |b| or a is 0. 3 flops.
template <class T>
EXACTDOT_CORE with_error<T> fast_two_sum(T a, T b) {
  const T sum = a + b;
  return {sum, b - (sum - a)};
}

/// a·b + c, rounded once.
EXACTDOT_CORE float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
EXACTDOT_CORE double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// value + error == a·b exactly while neither over- nor underflows: the exponents of a and b add up to less than
/// highest_exponent and to at least lowest_exponent + 2·precision. 2 flops.
template <class T>
EXACTDOT_CORE with_error<T> two_product(T a, T b) {
  const T product = a * b;
  return {product, fused_multiply_add(a, b, -product)};
}

}  // namespace exactdot::core
