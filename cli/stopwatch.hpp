// Timing one call: the median of a few samples, each long enough for the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace exactdot::cli {

/// Seconds that a call of the function takes.
template <class Function>
[[nodiscard]] double seconds_of(Function&& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The median over a few samples after one call that warms caches up; a call of over two seconds is its own
/// and only sample. Short calls are repeated to fill 0.1 ms.
template <class Function>
[[nodiscard]] double median_seconds(Function&& function) {
  constexpr double sample_seconds = 1e-4;
  const double first = seconds_of(function);
  if (first > 2) return first;
  const int calls =
      first > sample_seconds ? 1 : static_cast<int>(std::ceil(sample_seconds / std::max(first, 1e-8)));
  std::vector<double> samples(first > 0.2 ? 3 : 7);
  for (double& sample : samples) {
    sample = seconds_of([&] {
               for (int call = 0; call < calls; ++call) function();
             }) /
             calls;
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace exactdot::cli
