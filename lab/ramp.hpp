// Data ramp at two published lengths: every rung against the closed form.
//
// a[i] = i and b[i] = 2i give the integer 2·sum i², which needs no floating-point reference. A well-known listing
// prints one of these lengths with the result of the other. Rounding the inputs to float changes the sum slightly,
// so the exact dot product of the rounded inputs is given as well.
#pragma once

#include <exactdot/dot.hpp>
#include <lab/executor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::lab {

struct ladder_request;

struct ramp_result {
  std::size_t n = 0;
  std::string integers;  ///< 2·sum i² in decimal
  double exact = 0;      ///< the exact dot product of the rounded inputs, rounded once
  std::vector<std::pair<std::string, double>> rungs;
};

/// Returns n(n-1)(2n-1)/3 in decimal; n < 2^41.
[[nodiscard]] std::string ramp_integer(std::size_t n);

/// Runs the rungs at n = 32·2^20 and n = 33·2^20. Skips simulated rungs, which would take hours, and lengths that
/// do not fit in memory.
template <element T>
[[nodiscard]] std::vector<ramp_result> ramp_results(const ladder_request& request, executor& device,
                                                    const std::vector<rung>& rungs);

}  // namespace exactdot::lab
