// See program_variables.hpp. Asked at every access of the host: most addresses are outside of the range of all.
#include "program_variables.hpp"

#include <algorithm>
#include <vector>

/// The entries, which the linker collects.
extern "C" [[gnu::weak]] const exactdot::simt::detail::program_variable __start_exactdot_variables[],
    __stop_exactdot_variables[];

namespace exactdot::simt {
namespace {

using detail::program_variable;

std::uintptr_t start_of(const program_variable& variable) {
  return reinterpret_cast<std::uintptr_t>(variable.address);
}

struct variable_list {
  std::vector<program_variable> sorted;
  std::uintptr_t first = 0, bytes = 0;  // of the range of all

  variable_list() : sorted(__start_exactdot_variables, __stop_exactdot_variables) {
    std::sort(sorted.begin(), sorted.end(), [](const program_variable& left, const program_variable& right) {
      return start_of(left) < start_of(right);
    });
    if (sorted.empty()) return;
    first = start_of(sorted.front());
    bytes = start_of(sorted.back()) + sorted.back().bytes - first;
  }
};

}  // namespace

const program_variable* find_program_variable(std::uintptr_t address) {
  static const auto& all = *new variable_list;
  if (address - all.first >= all.bytes) return nullptr;
  const auto after =
      std::upper_bound(all.sorted.begin(), all.sorted.end(), address,
                       [](std::uintptr_t left, const program_variable& right) { return left < start_of(right); });
  const program_variable& found = *(after - 1);
  return address - start_of(found) < found.bytes ? &found : nullptr;
}

}  // namespace exactdot::simt
