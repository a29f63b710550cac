// The variables that a text declares in namespaces: an entry for each in a section of the program, and names of the
// host that device code uses, which nvcc refuses.
#include <algorithm>
#include <array>

#include "rewrite.hpp"

namespace exactdot::simtcc {

namespace {

/// Whether the innermost brace around a token is that of an enumeration.
bool is_enumerator(const source_edits& source, std::size_t i) {
  constexpr std::size_t max_tokens = 6;  // enum class name : type {
  std::size_t open = i;
  while (open > 0 && !source.at(open).is("{") && !source.at(open).is(";")) {
    if (is_closing(source.at(open))) open = source.opening(open);
    if (open > 0) --open;
  }
  for (std::size_t j = open; j > 0 && j + max_tokens > open; --j) {
    if (source.at(j).is("enum")) return source.at(open).is("{");
    if (j != open && (source.at(j).is(";") || source.at(j).is("}") || source.at(j).is("{"))) return false;
  }
  return false;
}

}  // namespace

bool may_declare(const source_edits& source, std::string_view name, std::size_t first, std::size_t end) {
  static constexpr std::array<std::string_view, 8> no_types = {"return", "else",      "case",   "throw",
                                                               "goto",   "co_return", "sizeof", "new"};
  const auto ends_type = [&](const token& t) {
    return (t.kind == token_kind::identifier &&
            std::none_of(no_types.begin(), no_types.end(), [&](std::string_view word) { return t.is(word); })) ||
           t.is(">") || t.is(">>");
  };
  for (std::size_t i = first + 1; i <= end; ++i) {
    if (source.at(i).text != name) continue;
    std::size_t type = i - 1;  // where the type ends, before the signs of pointers and references
    while (type > first && (source.at(type).is("*") || source.at(type).is("&") || source.at(type).is("&&"))) --type;
    const token& before = source.at(type);
    if (type == i - 1) {
      // a further variable of a declaration, or of a structured binding
      const token& next = source.at(i + 1);
      if (ends_type(before) || before.is("...")) return true;
      if ((before.is("{") || before.is(",")) && is_enumerator(source, i)) return true;
      if (before.is("[") && (source.at(i - 2).is("auto") || source.at(i - 2).is("&") || next.is("="))) return true;
      if (before.is(",") && (next.is("=") || next.is(";") || next.is(",") || next.is("[") || next.is("]")))
        return true;
      continue;
    }
    // a product, unless the name before the sign may be a type: at the begin of a statement or of a parameter
    const bool in_parentheses = before.is("(") && source.at(i + 1).is(")");
    if (in_parentheses && (source.at(i + 2).is("[") || source.at(i + 2).is("("))) return true;  // (&name)[n]
    const token& earlier = source.at(type == 0 ? 0 : type - 1);
    const bool begins = earlier.is(";") || earlier.is("{") || earlier.is("}") || earlier.is("(") ||
                        earlier.is(",") || earlier.is("<") || ends_type(earlier) || earlier.is("::") ||
                        earlier.is(")");
    if (before.is(">") || before.is(",") || (before.kind == token_kind::identifier && begins)) return true;
  }
  return false;
}

void register_variables(source_edits& source, const declarations& names) {
  for (const declared_variable& variable : names.variables) {
    const std::string name(variable.name);
    source.insert_after(
        variable.end, " static const ::exactdot::simt::detail::program_variable exactdot_variable_" +
                          std::to_string(variable.token) +
                          " __attribute__((used, section(\"exactdot_variables\"))) = {__builtin_addressof(" + name +
                          "), sizeof " + name + ", \"" + name + "\", \"" + std::string(variable.keyword) + "\"};");
  }
}

}  // namespace exactdot::simtcc
