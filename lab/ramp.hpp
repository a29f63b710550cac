// The ramp at the two lengths that a well-known listing and its output belong to: truth against every rung.
//
// With a[i] = i and b[i] = 2i the dot is a closed form of integers, 2·sum i², so that nobody has to be believed:
// not the float loop, and not a formula evaluated in floats. Rounding the inputs to float changes the sum a little;
// the exact dot of the rounded inputs is given too.
#pragma once

#include <exactdot/dot.hpp>
#include <lab/bench.hpp>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::lab {

struct ladder_request;

struct ramp_truth {
  std::size_t n = 0;
  std::string integers;  ///< 2·sum i² in decimal
  double exact = 0;      ///< the exact dot of the inputs as they are, rounded once
  std::vector<std::pair<std::string, double>> rungs;
};

/// n(n-1)(2n-1)/3 in decimal, for n below 2^41.
[[nodiscard]] std::string ramp_integer(std::size_t n);

/// For 32·2^20 and 33·2^20. Simulated rungs are left out: they would take hours. A length that does not fit the
/// memory is left out too.
template <element T>
[[nodiscard]] std::vector<ramp_truth> ramp_truths(const ladder_request& request, bench& on,
                                                  const std::vector<rung>& rungs);

}  // namespace exactdot::lab
