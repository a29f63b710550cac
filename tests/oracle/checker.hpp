// Checker: compares the results of a dot product with the oracle's, bit by bit.
//
// All tests of results use this class, and tests/sabotage tests the class itself. A fault is a sentence; the empty
// string means that the result is correct. Results are compared as bit patterns, so a NaN never equals a number.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "oracle/exact.hpp"
#include "oracle/generators.hpp"

namespace oracle {

/// A dot product under test, of the n elements at a and the n elements at b.
template <class R, class T>
using dot_function = std::function<R(const T* a, const T* b, std::size_t n)>;

/// Returns "" if both have the same bits, else a sentence with both.
template <class R>
[[nodiscard]] std::string difference(R expected, R got);

template <class T>
class checker {
 public:
  /// Computes the exact dot of the vectors and their dot in order v1.
  explicit checker(vectors<T> data);

  [[nodiscard]] const vectors<T>& data() const { return data_; }
  [[nodiscard]] const exact_value& exact_result() const { return exact_; }

  /// Empty if `dot` returns the exact dot, rounded once to R. An exception is a fault.
  template <class R>
  [[nodiscard]] std::string exact_fault(const dot_function<R, T>& dot) const;

  /// Empty if `dot` returns the dot in order v1, converted to R.
  template <class R>
  [[nodiscard]] std::string fast_fault(const dot_function<R, T>& dot) const;

  /// Empty if the limbs (radix 2^32, the first of weight 2^lowest_exponent) hold the sum of the finite terms
  /// exactly, including bits that do not affect the rounding.
  [[nodiscard]] std::string limbs_fault(std::span<const std::int64_t> limbs, int lowest_exponent) const;

  /// Empty if both oracles agree on these vectors.
  [[nodiscard]] std::string oracle_fault() const;

 private:
  vectors<T> data_;
  integer_sum sum_;
  exact_value exact_;
  T fast_;
};

}  // namespace oracle
