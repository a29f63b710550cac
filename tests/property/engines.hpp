// The library's dots as functions under test, and every way of computing them: instruction sets and threads.
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

/// What is wrong with the library's dot of these vectors, in both modes and both result types; "" if nothing.
template <class T>
[[nodiscard]] std::string any_fault(const oracle::checker<T>& check, exactdot::options options) {
  options.mode = exactdot::mode::exact;
  std::string fault = check.template exact_fault<float>(library_dot<float, T>(options));
  if (!fault.empty()) return "exact to float: " + fault;
  fault = check.template exact_fault<double>(library_dot<double, T>(options));
  if (!fault.empty()) return "exact to double: " + fault;
  options.mode = exactdot::mode::fast;
  fault = check.template fast_fault<float>(library_dot<float, T>(options));
  if (!fault.empty()) return "fast to float: " + fault;
  fault = check.template fast_fault<double>(library_dot<double, T>(options));
  return fault.empty() ? "" : "fast to double: " + fault;
}

}  // namespace property
