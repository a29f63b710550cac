// The exact result of a reduction, for the errors of the benchmark.
#pragma once

#include <cstdint>
#include <exactdot/accumulator.hpp>

#include "reduction.hpp"
#include "vectors.hpp"

namespace bench {

/// Dots and sums: the accumulator, so errors are relative to the real number. Means, norms, variances: the exact
/// result rounded to double. Extrema and indices: the one correct result.
template <class T>
class exact_result {
 public:
  /// Computes on the CPU with at most so many threads; 0: as many as pay off.
  exact_result(reduction what, const vectors<T>& data, int threads);

  /// Returns the error of a result (word_of) in ulps of the exact result rounded to T; for an index, 0 or infinity.
  [[nodiscard]] double error_ulps(std::uint64_t word) const;

 private:
  reduction what_;
  exactdot::accumulator<T> sum_;           // of a dot or a sum
  exactdot::accumulator<double> rounded_;  // of another value: one term
  std::uint64_t index_ = 0;
};

extern template class exact_result<float>;
extern template class exact_result<double>;

}  // namespace bench
