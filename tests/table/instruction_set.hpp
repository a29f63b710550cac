// Selects the CPU engine's instruction set for a test.
#pragma once

#include <exactdot/info.hpp>
#include <string>

namespace table {

/// Selects an instruction set until the end of its lifetime; the empty name: the library's choice.
class forced_instruction_set {
 public:
  explicit forced_instruction_set(const std::string& name) { exactdot::use_instruction_set(name); }
  ~forced_instruction_set() { exactdot::use_instruction_set(""); }
  forced_instruction_set(const forced_instruction_set&) = delete;
  forced_instruction_set& operator=(const forced_instruction_set&) = delete;
};

}  // namespace table
