// Time of a call: the median of samples that are long enough for the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace exactdot::cli {

/// Returns the seconds that a call takes.
template <class Function>
[[nodiscard]] double seconds_of(Function&& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the median seconds per call of 3 or 7 samples, after one call that warms the caches. A sample repeats
/// short calls for 0.1 ms. If the first call takes more than 2 s, it is the only sample.
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
