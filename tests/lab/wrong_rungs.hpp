// Host rungs made from a function and not registered, with which the tests of the harness build wrong rungs.
#pragma once

#include <gtest/gtest.h>

#include <exactdot/dot.hpp>
#include <io/data_source.hpp>
#include <lab/harness.hpp>
#include <memory>
#include <string>
#include <vector>

namespace lab_test {

using namespace exactdot::lab;

template <class T, class Function>
class prepared_test_rung final : public prepared_rung<T> {
 public:
  prepared_test_rung(const Function& function, const rung_input<T>& input) : function_(function), input_(input) {}
  void launch() override { value_ = function_(input_); }
  T result() override { return value_; }

 private:
  Function function_;
  rung_input<T> input_;
  T value_ = 0;
};

template <class T, class Function>
rung_factory<T> factory_of(const Function& function) {
  return [=](const rung_input<T>& input) {
    return std::make_unique<prepared_test_rung<T, Function>>(function, input);
  };
}

/// Makes a host rung; `function` maps a rung_input of floats or doubles to the result.
template <class Function>
rung make_rung(const rung_info& info, const Function& function) {
  return {info, backend::host, factory_of<float>(function), factory_of<double>(function)};
}

/// Returns the promises that a loop keeps: the same bits, and n roundings.
inline rung_info loop_promises() {
  return {.name = "made",
          .same_bits = determinism::always,
          .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; }};
}

/// Returns the sum of the products with indices in [first, last).
template <class T>
T loop(const rung_input<T>& input, std::size_t first, std::size_t last) {
  T sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += input.a[i] * input.b[i];
  return sum;
}

template <class T>
T loop(const rung_input<T>& input) {
  return loop(input, 0, input.config.n);
}

/// Returns the exact sum, rounded once.
template <class T>
T exact(const rung_input<T>& input) {
  return exactdot::dot<T>(input.a, input.b, input.config.n);
}

/// Vectors and an executor, by default that of the host; run() checks a rung's promises on them.
template <class T>
struct test_problem {
  std::vector<T> a, b;
  std::unique_ptr<executor> device = open_executor(backend::host);

  explicit test_problem(std::size_t n) : a(n), b(n) { exactdot::io::data_source<T>({.n = n}).next(a, b); }
  test_problem(std::vector<T> x, std::vector<T> y) : a(std::move(x)), b(std::move(y)) {}

  [[nodiscard]] measurement run(const rung& tested, const run_options& options = {}) const {
    return measure(tested, *device, problem<T>(*device, {a, b}, options.op), options);
  }
  [[nodiscard]] exactdot::lab::reference<T> reference(operation op = operation::sum) const { return {a, b, op}; }
};

inline testing::AssertionResult passed(const measurement& result) {
  if (result.fault.empty() && result.correct == true) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "rejected: " << result.fault;
}

/// Succeeds if the rung is rejected for this reason.
inline testing::AssertionResult rejected(const measurement& result, const std::string& reason) {
  if (result.correct == false && result.fault.find(reason) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << (result.fault.empty() ? "passed" : "rejected: " + result.fault);
}

}  // namespace lab_test
