// Quantiles of samples.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

/// The sample at this fraction of a sorted, nonempty sequence: 0.5 for the median. Rounded to the nearest index.
inline double quantile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace bench
