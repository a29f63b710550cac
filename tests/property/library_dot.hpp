// The library's dot products and accumulators as functions under test.
//
// any_fault checks all results for given options: both modes, both result types, and the limbs of an accumulator.
#pragma once

#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "oracle/cases.hpp"

namespace property {

/// The library's dot with the given options.
template <class R, class T>
[[nodiscard]] oracle::dot_function<R, T> library_dot(exactdot::options options = {}) {
  return [options](const T* a, const T* b, std::size_t n) { return exactdot::dot<R>(a, b, n, options); };
}

/// The fault of an accumulator that should hold the dot of the checker's vectors; "" if there is none. The limbs
/// are compared too, because a lost bit that does not affect this rounding may affect the result after a merge.
template <class T>
[[nodiscard]] std::string state_fault(const oracle::checker<T>& check, const exactdot::accumulator<T>& state) {
  using accumulator = exactdot::accumulator<T>;
  const auto& expected = check.exact_result();
  return oracle::difference(expected.as_float, state.template round<float>()) +
         oracle::difference(expected.as_double, state.template round<double>()) +
         check.limbs_fault(state.words().first(accumulator::limb_count), accumulator::lowest_exponent);
}

/// The first fault of the library's dots in both modes, with result type R; "" if there is none.
template <class R, class T>
[[nodiscard]] std::string dot_fault(const oracle::checker<T>& check, exactdot::options options) {
  options.mode = exactdot::mode::exact;
  std::string fault = check.template exact_fault<R>(library_dot<R, T>(options));
  if (!fault.empty()) return "exact: " + fault;
  options.mode = exactdot::mode::fast;
  fault = check.template fast_fault<R>(library_dot<R, T>(options));
  return fault.empty() ? "" : "fast: " + fault;
}

/// The first fault of the library's dots with both result types, and of an accumulator, which never uses the
/// bounded sum; "" if there is none.
template <class T>
[[nodiscard]] std::string any_fault(const oracle::checker<T>& check, const exactdot::options& options) {
  std::string fault = dot_fault<float>(check, options);
  if (!fault.empty()) return "to float, " + fault;
  fault = dot_fault<double>(check, options);
  if (!fault.empty()) return "to double, " + fault;
  exactdot::accumulator<T> sum;
  sum.add(std::span<const T>(check.data().a), std::span<const T>(check.data().b), options);
  fault = state_fault(check, sum);
  return fault.empty() ? "" : "accumulator: " + fault;
}

}  // namespace property
