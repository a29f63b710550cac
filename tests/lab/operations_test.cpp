// The harness rejects reductions other than sums with a wrong start value, a wrong operation or an omitted element.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

constexpr double infinity = std::numeric_limits<double>::infinity();

double combined(operation op, double x, double y) {
  switch (op) {
    case operation::sum:
      return x + y;
    case operation::min:
      return std::min(x, y);
    case operation::max:
      return std::max(x, y);
    case operation::absmax:
      return std::max(x, std::abs(y));
    case operation::product:
      return x * y;
  }
  return 0;
}

double identity_of(operation op) {
  constexpr double identities[] = {0, infinity, -infinity, 0, 1};
  return identities[static_cast<int>(op)];
}

/// Reduces from `start`, or from the identity for an empty vector if `correct_if_empty`; omits the last elements.
struct fold {
  operation op;
  double start;
  bool correct_if_empty = false;
  std::size_t omitted = 0;

  template <class T>
  T operator()(const rung_input<T>& input) const {
    const std::size_t n = input.config.n;
    if (n == 0 && correct_if_empty) return static_cast<T>(identity_of(op));
    double value = start;
    for (std::size_t i = 0; i + omitted < n; ++i) {
      value = static_cast<T>(combined(op, value, input.a[i] * input.b[i]));
    }
    return static_cast<T>(value);
  }
};

measurement outcome(const fold& function, operation op) {
  const test_problem<float> data(20);
  rung_info info = loop_promises();
  info.any_operation = true;
  return data.run(make_rung(info, function), {.op = op});
}

constexpr operation all[] = {operation::sum, operation::min, operation::max, operation::absmax, operation::product};

TEST(operations, pass_if_correct) {
  for (const operation op : all) {
    EXPECT_TRUE(passed(outcome({op, identity_of(op)}, op))) << operation_names[static_cast<std::size_t>(op)];
  }
}

TEST(operations, are_rejected_with_a_wrong_start_value) {
  constexpr float largest = std::numeric_limits<float>::max();
  const std::pair<operation, double> wrong[] = {
      {operation::sum, 1}, {operation::min, largest},      {operation::min, 0},     {operation::max, -largest},
      {operation::max, 0}, {operation::absmax, -infinity}, {operation::product, 0}, {operation::product, 2},
  };
  for (const auto& [op, start] : wrong) {
    EXPECT_TRUE(rejected(outcome({op, start}, op), "on integers, n = 0,"))
        << operation_names[static_cast<std::size_t>(op)] << " from " << start;
  }
}

TEST(operations, are_rejected_with_a_wrong_start_value_for_nonempty_vectors_only) {
  for (const auto& [op, start] :
       {std::pair(operation::min, 0.0), std::pair(operation::max, 0.0), std::pair(operation::product, 2.0)}) {
    EXPECT_TRUE(rejected(outcome({op, start, true}, op), "on integers, n = 1,"))
        << operation_names[static_cast<std::size_t>(op)];
  }
}

TEST(operations, are_rejected_if_another_operation_is_performed) {
  for (const operation requested : all) {
    for (const operation performed : all) {
      if (requested == performed) continue;
      EXPECT_TRUE(rejected(outcome({performed, identity_of(requested)}, requested), "on integers"))
          << operation_names[static_cast<std::size_t>(performed)] << " for "
          << operation_names[static_cast<std::size_t>(requested)];
    }
  }
}

TEST(operations, are_rejected_if_the_last_element_is_omitted) {
  for (const operation op : all) {
    EXPECT_TRUE(rejected(outcome({op, identity_of(op), false, 1}, op), "on integers, n = 1,"))
        << operation_names[static_cast<std::size_t>(op)];
  }
}

/// The harness's products neither overflow nor underflow for any stride.
TEST(operations, pass_with_strided_partial_products) {
  rung_info info = loop_promises();
  info.any_operation = true;
  for (const std::size_t stride : {1, 32, 64, 128, 256, 512, 1024, 2048}) {
    const auto strided = [=](const auto& input) {
      auto product = input.a[0] * 0 + 1;
      if (input.config.n == 0) return product;
      for (std::size_t first = 0; first < stride; ++first) {
        for (std::size_t i = first; i < input.config.n; i += stride) product *= input.a[i] * input.b[i];
      }
      return product;
    };
    const test_problem<float> data({1, 2}, {3, 4});
    EXPECT_TRUE(passed(data.run(make_rung(info, strided), {.op = operation::product}))) << stride;
  }
}

}  // namespace
