// Stand-in for the header of this name that comes with NVIDIA's samples: timers, options, and comparisons of
// arrays.
#pragma once

#include <helper_string.h>
#include <helper_timer.h>

#include <cmath>
#include <cstddef>
#include <cstdio>

/// Whether all elements differ by at most epsilon, but for the given fraction of them.
template <class T>
bool compareData(const T* reference, const T* data, unsigned count, double epsilon, double fraction) {
  std::size_t different = 0;
  for (unsigned i = 0; i < count; ++i)
    different += !(std::fabs(static_cast<double>(reference[i]) - static_cast<double>(data[i])) <= epsilon);
  return static_cast<double>(different) <= fraction * count;
}
/// Whether the norm of the difference is at most epsilon of the norm of the reference.
inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned count, float epsilon) {
  double error = 0, norm = 0;
  for (unsigned i = 0; i < count; ++i) {
    const double difference = static_cast<double>(reference[i]) - data[i];
    error += difference * difference, norm += static_cast<double>(reference[i]) * reference[i];
  }
  return std::sqrt(error) <= epsilon * std::sqrt(norm);
}
