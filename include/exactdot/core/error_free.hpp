// Error-free transforms: a floating-point result and its rounding error, both exact.
//
// Valid in rounding to nearest, without overflow, and for products without underflow of the error; callers see to
// that. Sources: Dekker 1971 (FastTwoSum), Knuth TAOCP 2 §4.2.2 (TwoSum), Ogita, Rump, Oishi 2005, Algorithm 3.5
// (TwoProductFMA).
#pragma once

#include <exactdot/core/config.hpp>
#include <exactdot/core/ieee_arithmetic.hpp>

namespace exactdot::inline v0_3::core {

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

}  // namespace exactdot::inline v0_3::core
