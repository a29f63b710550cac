// Launches: kernel<<<grid, block, shared, stream>>>(arguments), and the same as calls of the runtime.
#include <algorithm>
#include <array>

#include "rewrite.hpp"

namespace exactdot::simtcc {
namespace {

bool is_keyword(const token& t) {
  static constexpr std::array<std::string_view, 8> keywords = {"return", "else", "do",        "case",
                                                               "throw",  "goto", "co_return", "default"};
  return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view word) { return t.is(word); });
}

/// Returns the token that opens the template arguments that end at `close`; the end if there is none.
std::size_t opening_angle(const source_edits& source, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    const token& t = source.at(i);
    if (t.is(">") || t.is(">>") || t.is(">>>")) depth += static_cast<int>(t.text.size());
    if (is_closing(t)) i = source.opening(i);
    if (t.is(";") || t.is("{") || t.is("}")) break;
    if (t.is("<") && --depth == 0) return i;
  }
  return source.size() - 1;
}

/// Returns the first token of the expression that ends before token `end`: a name with its qualifiers and template
/// arguments, a member, an element, a call or parentheses. Returns `end` if it is none.
std::size_t callee_before(const source_edits& source, std::size_t end) {
  std::size_t first = end;
  for (std::size_t i = end; i-- > 0;) {
    if (source.at(i).is(">") || source.at(i).is(">>") || source.at(i).is(">>>")) {
      i = opening_angle(source, i);
      if (i + 1 == source.size() || i == 0) return end;
      --i;
    }
    while (source.at(i).is(")") || source.at(i).is("]")) {
      first = i = source.opening(i);
      const bool of_expression =
          i > 0 && !is_keyword(source.at(i - 1)) &&
          (source.at(i - 1).kind == token_kind::identifier || is_closing(source.at(i - 1))) &&
          !source.at(i - 1).is("}");
      if (!of_expression) return first;
      --i;
    }
    if (source.at(i).kind != token_kind::identifier || is_keyword(source.at(i))) return first;
    first = i;
    if (i > 0 && source.at(i - 1).is("template")) first = --i;
    if (i == 0) return first;
    const token& before = source.at(i - 1);
    if (before.is("::")) {
      first = --i;
      const bool qualified =
          i > 0 && (source.at(i - 1).is(">") || source.at(i - 1).is(">>") ||
                    (source.at(i - 1).kind == token_kind::identifier && !is_keyword(source.at(i - 1))));
      if (!qualified) return first;
    } else if (before.is(".") || before.is("->")) {
      --i;
    } else {
      return first;
    }
  }
  return first;
}

/// Returns the token `(` that follows the `>>>` of a launch whose configuration begins at `first`; the end if there
/// is none. Sets `close` to the first token of the `>>>`.
std::size_t arguments_of(const source_edits& source, std::size_t first, std::size_t& close) {
  for (std::size_t i = first; i + 1 < source.size(); ++i) {
    const token& t = source.at(i);
    if (is_opening(t)) i = source.closing(i);
    if (is_closing(t) || t.is(";")) break;
    std::size_t length = 0, end = i;
    while (source.at(end).is(">") || source.at(end).is(">>") || source.at(end).is(">>>"))
      length += source.at(end++).text.size();
    if (length == 3 && source.at(end).is("(")) {
      close = i;
      return end;
    }
    if (length != 0) i = end - 1;
  }
  return source.size() - 1;
}

/// Returns the name of the function before token `end`, without template arguments; "" if it is an expression.
std::string_view called_name(const source_edits& source, std::size_t end) {
  std::size_t i = end - 1;
  if (source.at(i).is(">") || source.at(i).is(">>") || source.at(i).is(">>>")) i = opening_angle(source, i) - 1;
  const bool is_member = i > 0 && (source.at(i - 1).is(".") || source.at(i - 1).is("->"));
  return i + 1 < source.size() && source.at(i).kind == token_kind::identifier && !is_member ? source.at(i).text
                                                                                            : "";
}

/// Returns whether there is a comma outside of brackets.
bool has_comma(const source_edits& source, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    if (is_opening(source.at(i))) i = source.closing(i);
    if (source.at(i).is(",")) return true;
  }
  return false;
}

/// Returns the name of the parameter that the tokens first up to, not including, end declare; "" if it has none, or
/// one that a look at single tokens cannot tell from a type.
std::string_view parameter_name(const source_edits& source, std::size_t first, std::size_t end) {
  static constexpr std::array<std::string_view, 19> of_types = {
      "const", "volatile", "int",          "unsigned",   "signed",   "long", "short",  "char",  "float",   "double",
      "bool",  "void",     "__restrict__", "__restrict", "restrict", "auto", "struct", "class", "typename"};
  const auto is_of_type = [&](std::size_t i) {
    return std::any_of(of_types.begin(), of_types.end(),
                       [&](std::string_view word) { return source.at(i).is(word); });
  };
  for (std::size_t i = first; i < end; ++i) {
    if (source.at(i).is("...") || source.at(i).is("(")) return "";
    if (source.at(i).is("=") || source.at(i).is("[")) end = i;
  }
  if (end < first + 2 || source.at(end - 1).kind != token_kind::identifier || is_of_type(end - 1)) return "";
  std::size_t before = end - 1;  // of the name; then of the last token that is not const or the like
  while (before > first && (source.at(before - 1).is("const") || source.at(before - 1).is("volatile"))) --before;
  const token& last = source.at(before - 1);
  const bool follows_type = before > first && (last.kind == token_kind::identifier || last.is("*") ||
                                               last.is("&") || last.is(">") || last.is(">>"));
  return follows_type ? source.at(end - 1).text : "";
}

}  // namespace

std::string pointers_of_kernel(const source_edits& source, std::size_t brace) {
  if (brace < 2 || !source.at(brace - 1).is(")")) return "";
  const std::size_t close = brace - 1, open = source.opening(close);
  std::string names, values;
  for (std::size_t first = open + 1, i = first; i <= close; ++i) {
    int depth = 0;
    for (; i < close && (depth > 0 || !source.at(i).is(",")); ++i) {
      const token& t = source.at(i);
      if (is_opening(t)) i = source.closing(i);
      if (t.is("<")) ++depth;
      if (t.is(">") || t.is(">>")) depth -= static_cast<int>(t.text.size());
    }
    const std::string name(parameter_name(source, first, i));
    first = i + 1;
    if (name.empty()) continue;
    names += (names.empty() ? "" : ",") + name;
    values += (values.empty() ? "" : ", ") + ("::exactdot::simt::detail::pointer_of(" + name) + ")";
  }
  return names.empty() ? "" : ", {\"" + names + "\", {" + values + "}}";
}

void rewrite_launch(source_edits& source, std::size_t i, scope_kind inside, const declarations& names,
                    const std::function<bool(std::string_view)>& is_local) {
  if (i == 0 || source.at(i - 1).is("operator")) return;
  if (source.file_of(i).system) return;
  const std::size_t first = i + (source.at(i).is("<<<") ? 1 : 2);
  std::size_t close = 0;
  const std::size_t arguments = arguments_of(source, first, close);
  const std::size_t callee = callee_before(source, i);
  if (arguments + 1 == source.size()) {
    if (source.at(i).is("<<<"))
      source.refuse(i, "a launch <<<…>>> without its >>>, or without a list of arguments (…) after it");
    return;
  }
  if (callee == i) return source.refuse(i, "a launch <<<…>>> without the name of a kernel before it");
  if (close == first) return source.refuse(i, "a launch <<<>>> without grid and block");
  if (!has_comma(source, first, close))
    return source.refuse(i, "a launch <<<grid>>> without the size of its blocks; expected <<<grid, block>>>");
  if (inside == scope_kind::kernel || inside == scope_kind::device_function)
    return source.refuse(i, "a launch from a kernel (dynamic parallelism) is not modelled");
  const std::string_view name = called_name(source, i);
  if (!names.kernels.contains(name) &&
      (names.host_functions.contains(name) || names.device_functions.contains(name)) && !is_local(name)) {
    const char* const kind = names.device_functions.contains(name) ? "__device__" : "host";
    return source.report_error(i, std::string("a ") + kind + " function call (\"" + std::string(name) +
                                      "\") cannot be configured; expected a function with __global__");
  }
  source.insert_before(
      callee, "(::exactdot::simt::detail::configure(" + std::string(source.text_between(first - 1, close)) + "), ");
  source.replace_through(i, arguments - 1, "");
  source.insert_after(source.closing(arguments), ")");
}

void rewrite_launch_call(source_edits& source, std::size_t i) {
  if (!source.at(i + 1).is("(")) return;
  const auto ends_in_void_pointer = [&](std::size_t first, std::size_t end) {
    std::size_t at = first + (source.at(first).is("const") ? 1 : 0);
    return source.at(at).is("void") && (source.at(at + 1).is("*") || source.at(at + 2).is("*")) && end <= at + 3;
  };
  const std::size_t first = i + 2;
  if (source.at(first).is("(") && ends_in_void_pointer(first + 1, source.closing(first))) {
    source.remove(first, source.closing(first) + 1);
  } else if ((source.at(first).is("reinterpret_cast") || source.at(first).is("static_cast")) &&
             source.at(first + 1).is("<")) {
    std::size_t end = first + 2;
    while (end + 1 < source.size() && !source.at(end).is(">") && !source.at(end).is(";")) ++end;
    if (ends_in_void_pointer(first + 2, end)) source.remove(first, end + 1);
  }
}

}  // namespace exactdot::simtcc
