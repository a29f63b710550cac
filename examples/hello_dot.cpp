// A dot product whose answer every plain loop loses.
#include <cstdio>
#include <exactdot/dot.hpp>
#include <vector>

int main() {
  const std::vector<double> a{1e16, 1e16, 1}, b{1, -1, 1};
  std::printf("exact: %g\n", exactdot::dot(a, b));
  std::printf("fast: %g\n", exactdot::dot(a, b, {.mode = exactdot::mode::fast}));
}
