// Three products, 1e16, -1e16 and 1, whose sum is 1. Whether a plain loop finds it depends on the order: after the
// large products have cancelled, the 1 remains; before, it is rounded away. The exact sum is the same in any order.
#include <cstddef>
#include <cstdio>
#include <exactdot/dot.hpp>
#include <vector>

using vector = std::vector<double>;

double loop(const vector& a, const vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void print(const char* order, const vector& a, const vector& b) {
  const double fast = exactdot::dot(a, b, {.mode = exactdot::mode::fast});
  std::printf("%-9s loop: %g  fast: %g  exact: %g\n", order, loop(a, b), fast, exactdot::dot(a, b));
}

int main() {
  print("forwards", {1e16, 1e16, 1}, {1, -1, 1});
  print("backwards", {1, 1e16, 1e16}, {1, -1, 1});
}
