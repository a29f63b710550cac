// The harness against rungs whose reduction is no sum: a wrong start value, a wrong operation, an element left out.
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

/// From `start`, or from the identity where there are no elements and `right_when_empty`.
struct fold {
  operation op;
  double start;
  bool right_when_empty = false;
  std::size_t left_out = 0;

  template <class T>
  T operator()(const task<T>& what) const {
    const std::size_t n = what.size.n;
    if (n == 0 && right_when_empty) return static_cast<T>(identity_of(op));
    double value = start;
    for (std::size_t i = 0; i + left_out < n; ++i) {
      value = static_cast<T>(combined(op, value, what.a[i] * what.b[i]));
    }
    return static_cast<T>(value);
  }
};

row outcome(const fold& one, operation op) {
  const trial<float> data(20);
  rung_info info = promises();
  info.any_operation = true;
  return data.of(make_rung(info, one), {.op = op});
}

constexpr operation all[] = {operation::sum, operation::min, operation::max, operation::absmax, operation::product};

TEST(operations, pass_when_right) {
  for (const operation op : all) {
    EXPECT_TRUE(passed(outcome({op, identity_of(op)}, op))) << operation_names[static_cast<std::size_t>(op)];
  }
}

TEST(operations, are_rejected_with_a_wrong_start_value) {
  constexpr float most = std::numeric_limits<float>::max();
  const std::pair<operation, double> wrong[] = {
      {operation::sum, 1}, {operation::min, most},         {operation::min, 0},     {operation::max, -most},
      {operation::max, 0}, {operation::absmax, -infinity}, {operation::product, 0}, {operation::product, 2},
  };
  for (const auto& [op, start] : wrong) {
    EXPECT_TRUE(rejected(outcome({op, start}, op), "on integers, n = 0,"))
        << operation_names[static_cast<std::size_t>(op)] << " from " << start;
  }
}

TEST(operations, are_rejected_with_a_wrong_start_value_that_only_elements_show) {
  for (const auto& [op, start] :
       {std::pair(operation::min, 0.0), std::pair(operation::max, 0.0), std::pair(operation::product, 2.0)}) {
    EXPECT_TRUE(rejected(outcome({op, start, true}, op), "on integers, n = 1,"))
        << operation_names[static_cast<std::size_t>(op)];
  }
}

TEST(operations, are_rejected_when_one_does_the_other) {
  for (const operation asked : all) {
    for (const operation done : all) {
      if (asked == done) continue;
      EXPECT_TRUE(rejected(outcome({done, identity_of(asked)}, asked), "on integers"))
          << operation_names[static_cast<std::size_t>(done)] << " for "
          << operation_names[static_cast<std::size_t>(asked)];
    }
  }
}

TEST(operations, are_rejected_when_the_last_element_is_left_out) {
  for (const operation op : all) {
    EXPECT_TRUE(rejected(outcome({op, identity_of(op), false, 1}, op), "on integers, n = 1,"))
        << operation_names[static_cast<std::size_t>(op)];
  }
}

/// Partial products of any stride and block stay far from over- and underflow.
TEST(operations, whose_partial_products_run_in_strides_pass) {
  rung_info info = promises();
  info.any_operation = true;
  for (const std::size_t stride : {1, 32, 64, 128, 256, 512, 1024, 2048}) {
    const auto strided = [=](const auto& what) {
      auto product = what.a[0] * 0 + 1;
      if (what.size.n == 0) return product;
      for (std::size_t first = 0; first < stride; ++first) {
        for (std::size_t i = first; i < what.size.n; i += stride) product *= what.a[i] * what.b[i];
      }
      return product;
    };
    const trial<float> data({1, 2}, {3, 4});
    EXPECT_TRUE(passed(data.of(make_rung(info, strided), {.op = operation::product}))) << stride;
  }
}

}  // namespace
