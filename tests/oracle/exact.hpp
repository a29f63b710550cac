// The correctly rounded dot and sum, by either oracle.
//
// One exact sum gives the results of both types. The GMP oracle is faster (about 0.1 µs per term); the MPFR oracle
// checks it independently.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "oracle/integer_sum.hpp"
#include "oracle/wide_sum.hpp"

namespace oracle {

struct exact_value {
  float as_float;
  double as_double;

  template <class R>
  [[nodiscard]] R as() const {
    if constexpr (std::is_same_v<R, float>)
      return as_float;
    else
      return as_double;
  }
};

/// Sum: integer_sum or wide_sum. Requires a.size() == b.size().
template <class Sum = integer_sum, class T>
[[nodiscard]] exact_value exact_dot(std::span<const T> a, std::span<const T> b) {
  Sum sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i], b[i]);
  return {sum.template round<float>(), sum.template round<double>()};
}

template <class Sum = integer_sum, class T>
[[nodiscard]] exact_value exact_sum(std::span<const T> x) {
  Sum sum;
  for (const T value : x) sum.add(value);
  return {sum.template round<float>(), sum.template round<double>()};
}

}  // namespace oracle
