// Rungs to order: a function of the task, as a rung of the host that is not enlisted. For the harness's own tests,
// which feed it wrong ones.
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
class made_attempt final : public attempt<T> {
 public:
  made_attempt(const Function& function, const task<T>& what) : function_(function), what_(what) {}
  void launch() override { value_ = function_(what_); }
  T result() override { return value_; }

 private:
  Function function_;
  task<T> what_;
  T value_ = 0;
};

template <class T, class Function>
starter<T> starter_of(const Function& function) {
  return [=](const task<T>& what) { return std::make_unique<made_attempt<T, Function>>(function, what); };
}

/// `function` takes a task of floats or doubles and returns what the rung says.
template <class Function>
rung make_rung(const rung_info& info, const Function& function) {
  return {info, world::host, starter_of<float>(function), starter_of<double>(function)};
}

/// Promises what a loop keeps: the same bits, and n roundings.
inline rung_info promises() {
  return {.name = "made", .same_bits = determinism::always, .roundings = [](const shape& s) -> std::uint64_t {
            return s.n + 1;
          }};
}

/// The sum of the products from `first` up to `last`.
template <class T>
T loop(const task<T>& what, std::size_t first, std::size_t last) {
  T sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += what.a[i] * what.b[i];
  return sum;
}

template <class T>
T loop(const task<T>& what) {
  return loop(what, 0, what.size.n);
}

/// The real sum, rounded once.
template <class T>
T exact(const task<T>& what) {
  return exactdot::dot<T>(what.a, what.b, what.size.n);
}

/// Vectors on the host's bench, and a rung held to its promises on them.
template <class T>
struct trial {
  std::vector<T> a, b;
  std::unique_ptr<bench> on = open_bench(world::host);

  explicit trial(std::size_t n) : a(n), b(n) { exactdot::io::data_source<T>({.n = n}).next(a, b); }
  trial(std::vector<T> x, std::vector<T> y) : a(std::move(x)), b(std::move(y)) {}

  [[nodiscard]] row of(const rung& one, const conditions& how = {}) const {
    return measure(one, *on, problem<T>(*on, a, b, how.op), how);
  }
  [[nodiscard]] reference<T> right(operation op = operation::sum) const { return reference<T>(a, b, op); }
};

inline testing::AssertionResult passed(const row& result) {
  if (result.fault.empty() && result.correct == true) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "rejected: " << result.fault;
}

/// Rejected, and for this reason.
inline testing::AssertionResult rejected(const row& result, const std::string& reason) {
  if (result.correct == false && result.fault.find(reason) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << (result.fault.empty() ? "passed" : "rejected: " + result.fault);
}

}  // namespace lab_test
