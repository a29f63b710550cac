// The library's dots as functions under test, and every way of computing them.
//
// any_fault asks for all that one setting of the options can give: both result types, both modes, and an
// accumulator down to its last limb. Tests vary the data, the instruction set and the threads around it.
#pragma once

#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

#include "oracle/cases.hpp"

namespace property {

/// The library's dot with these options.
template <class R, class T>
[[nodiscard]] oracle::dot_function<R, T> library_dot(exactdot::options options = {}) {
  return [options](const T* a, const T* b, std::size_t n) { return exactdot::dot<R>(a, b, n, options); };
}

/// Uses one instruction set for as long as it lives.
class forced_instruction_set {
 public:
  explicit forced_instruction_set(const std::string& name) { exactdot::use_instruction_set(name); }
  ~forced_instruction_set() { exactdot::use_instruction_set(""); }
  forced_instruction_set(const forced_instruction_set&) = delete;
  forced_instruction_set& operator=(const forced_instruction_set&) = delete;
};

/// What is wrong with an accumulator that should hold the dot of these vectors; "" if nothing. Its limbs are
/// checked too, since a bit that the rounding does not show today is missing after the next merge.
template <class T>
[[nodiscard]] std::string state_fault(const oracle::checker<T>& check, const exactdot::accumulator<T>& state) {
  using accumulator = exactdot::accumulator<T>;
  const auto& expected = check.exact_result();
  return oracle::difference(expected.as_float, state.template round<float>()) +
         oracle::difference(expected.as_double, state.template round<double>()) +
         check.limbs_fault(state.words().first(accumulator::limb_count), accumulator::lowest_exponent);
}

/// What is wrong with the library's dot of these vectors to R, in both modes; "" if nothing.
template <class R, class T>
[[nodiscard]] std::string dot_fault(const oracle::checker<T>& check, exactdot::options options) {
  options.mode = exactdot::mode::exact;
  std::string fault = check.template exact_fault<R>(library_dot<R, T>(options));
  if (!fault.empty()) return "exact: " + fault;
  options.mode = exactdot::mode::fast;
  fault = check.template fast_fault<R>(library_dot<R, T>(options));
  return fault.empty() ? "" : "fast: " + fault;
}

/// What is wrong with the library's dots of these vectors to either type, and with an accumulator that they are
/// added to: it never approximates first, as a dot may.
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
