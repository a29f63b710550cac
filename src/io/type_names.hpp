// Names of element types for messages and option checks, from the element table.
#pragma once

#include <exactdot/element.hpp>
#include <string>
#include <vector>

namespace exactdot::io {

/// Returns the names of the element types for which `accepts(type)`, in the order of the table.
template <class Predicate>
[[nodiscard]] std::vector<std::string> type_names(Predicate accepts) {
  std::vector<std::string> names;
  for (const element_info& known : elements) {
    if (accepts(known.type)) names.emplace_back(known.name);
  }
  return names;
}
[[nodiscard]] inline std::vector<std::string> type_names() {
  return type_names([](element_type) { return true; });
}

}  // namespace exactdot::io
