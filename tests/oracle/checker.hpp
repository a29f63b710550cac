// The checking function: does a dot product return the right bits for these vectors?
//
// Every property test, the campaign and the sabotage tests judge through this one class. A fault is a
// sentence, an empty one means right; results are compared as bit patterns, so no NaN can pass for a number.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "oracle/exact.hpp"
#include "oracle/generators.hpp"

namespace oracle {

/// A dot product under test, of n elements at a and at b.
template <class R, class T>
using dot_function = std::function<R(const T* a, const T* b, std::size_t n)>;

/// "" if both have the same bits, else a sentence that shows both.
template <class R>
[[nodiscard]] std::string difference(R expected, R got);

template <class T>
class checker {
 public:
  /// Computes the exact dot of the vectors, and the one in order v1, once.
  explicit checker(vectors<T> data);

  [[nodiscard]] const vectors<T>& data() const { return data_; }
  [[nodiscard]] const exact_value& exact_result() const { return exact_; }

  /// Whether dot returns the exact dot, rounded once to R. What it throws is a fault too.
  template <class R>
  [[nodiscard]] std::string exact_fault(const dot_function<R, T>& dot) const;

  /// Whether dot returns the dot in order v1, converted to R.
  template <class R>
  [[nodiscard]] std::string fast_fault(const dot_function<R, T>& dot) const;

  /// Whether these limbs (radix 2^32, the first of weight 2^lowest_exponent) hold the finite terms' sum, to the
  /// last bit, however far below its rounding.
  [[nodiscard]] std::string limbs_fault(std::span<const std::int64_t> limbs, int lowest_exponent) const;

  /// Whether the two oracles agree on these vectors.
  [[nodiscard]] std::string oracle_fault() const;

 private:
  vectors<T> data_;
  integer_sum sum_;
  exact_value exact_;
  T fast_;
};

}  // namespace oracle
