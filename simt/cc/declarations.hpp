// The names that a text declares in namespaces, read before it is rewritten: what is a kernel, what a function of
// the device or of the host, and what has linkage beyond its file.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "source_edits.hpp"

namespace exactdot::simtcc {

/// A variable of a namespace, of the user, that its declaration defines.
struct declared_variable {
  std::string_view name, keyword;  // "__device__", "__constant__"; "" for one of the host
  std::size_t token, end;          // its name; the end of its declaration
};

struct declarations {
  using names = std::set<std::string_view>;
  names kernels, device_functions, host_functions;  // a name may be in several, by overloads
  names types;                                      // defined by the user
  names linked;                                     // variables declared extern
  names host_variables, device_variables;           // but constants, which device code may use
  std::vector<declared_variable> variables;
  [[nodiscard]] bool is_users(std::string_view name) const {
    return kernels.contains(name) || device_functions.contains(name) || host_functions.contains(name) ||
           types.contains(name);
  }
};

declarations read_declarations(const source_edits& source);

/// Of the declaration that begins at `first`: the index of its function's name; 0 if it declares no function.
std::size_t function_name(const source_edits& source, std::size_t first);

/// Returns whether a declaration is in a file of the user; its first words may come from a macro of the headers.
bool is_of_user(const source_edits& source, std::size_t first);

/// Returns whether a declaration has this word before its body or initialiser.
bool says(const source_edits& source, std::size_t first, std::string_view word);

}  // namespace exactdot::simtcc
