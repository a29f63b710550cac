// Runs a row of the suite with a seed and judges its findings: found, wrong, missed, false alarm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite.hpp"

namespace suite {

inline constexpr execution both_models[] = {execution::independent, execution::lock_step};
inline const char* name_of(execution model) { return model == execution::lock_step ? "lock_step" : "independent"; }

struct outcome {
  unsigned runs = 0, found = 0, wrong = 0, missed = 0, false_alarms = 0;
  std::string example, false_alarm;  // of the right finding, or else of a wrong one
};

struct run_result {
  std::vector<exactdot::simt::fault> faults;
  std::string error;  // a wrong result, or an exception
};

[[nodiscard]] run_result run(const row& kernel, execution model, std::uint64_t seed);
void judge(const row& kernel, execution model, const run_result& result, outcome& sum);

/// For each kind of fault, runs the rows that have it and drops the findings of that kind, as if the simulator did
/// not detect it. Returns the number of kinds whose loss no row shows; prints them.
[[nodiscard]] unsigned count_unnoticed_losses();

}  // namespace suite
