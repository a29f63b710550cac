// Names of types for messages and option checks, from the tables of element.hpp.
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

/// Which numbers a caller takes.
enum class npy_numbers : bool { real, any };

/// Returns the names of the types of these numbers: complex64 and complex128 come last.
[[nodiscard]] inline std::vector<std::string> number_type_names(npy_numbers numbers) {
  std::vector<std::string> names;
  for (const element_info& known : detail::described_types) {
    if (numbers == npy_numbers::any || !is_complex(known.type)) names.emplace_back(known.name);
  }
  return names;
}

}  // namespace exactdot::io
