// The suite tests every kind of fault: without the detection of a kind, rows fail.
#include <algorithm>
#include <cstdio>

#include "runner.hpp"

namespace suite {
namespace {

using exactdot::simt::fault;

/// Kinds that no kernel of the suite can have.
const char* reason_without_rows(fault_kind kind) {
  switch (kind) {
    case fault_kind::deadlock:
      return "a state that incomplete barriers and collectives, named as such, leave to no kernel known";
    case fault_kind::host_access:
    case fault_kind::refused_launch:
    case fault_kind::missing_synchronisation:
    case fault_kind::second_free:
    case fault_kind::failed_call:
    case fault_kind::order_dependent:
      return "of host code that simtcc compiles; tests/simtcc/cases.py has it";
    default:
      return nullptr;
  }
}

/// Rows of this kind that are named with every seed, and are missed once its findings are dropped.
unsigned count_sensitive_rows(fault_kind kind) {
  unsigned rows_found = 0;
  for (const row& kernel : rows()) {
    if (kernel.fault != kind) continue;
    outcome with, without;
    for (const execution model : both_models) {
      if (!holds(kernel.size.runs_in, model) || !kernel.is_faulty(model)) continue;
      run_result result = run(kernel, model, 1);
      judge(kernel, model, result, with);
      std::erase_if(result.faults, [&](const fault& found) { return found.kind == kind; });
      judge(kernel, model, result, without);
    }
    if (with.runs != 0 && with.found == with.runs && without.found == 0) ++rows_found;
  }
  return rows_found;
}

}  // namespace

unsigned count_unnoticed_losses() {
  unsigned unnoticed = 0;
  for (int i = 0; i <= static_cast<int>(exactdot::simt::last_fault_kind); ++i) {
    const auto kind = static_cast<fault_kind>(i);
    const char* const reason = reason_without_rows(kind);
    const unsigned sensitive = count_sensitive_rows(kind);
    const bool is_wrong = (sensitive == 0) != (reason != nullptr);
    unnoticed += is_wrong ? 1 : 0;
    std::printf("%s%s: %u kernels%s%s\n", is_wrong ? "WRONG: " : "", exactdot::simt::name_of(kind), sensitive,
                reason != nullptr ? ", " : "", reason != nullptr ? reason : "");
  }
  return unnoticed;
}

}  // namespace suite
