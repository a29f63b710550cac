// Sums of a million numbers in twenty orders: the plain sums differ, the exact sums are equal.
#include <algorithm>
#include <cstdio>
#include <exactdot/accumulator.hpp>
#include <numeric>
#include <random>
#include <set>
#include <vector>

int main() {
  std::vector<double> x(1'000'000);
  std::iota(x.begin(), x.end(), 1);
  for (double& value : x) value += 5e-7;  // the sum of the rounded values, rounded, is 500000500000.5

  std::set<double> plain, exact;
  std::mt19937 random(1);
  for (int order = 0; order < 20; ++order) {
    plain.insert(std::accumulate(x.begin(), x.end(), 0.0));
    exactdot::accumulator<double> sum;
    sum.add(x);
    exact.insert(sum.round<double>());
    std::ranges::shuffle(x, random);
  }
  std::printf("plain sums: %zu different, from %.17g to %.17g\n", plain.size(), *plain.begin(), *plain.rbegin());
  std::printf("exact sums: %zu, %.17g\n", exact.size(), *exact.begin());
}
