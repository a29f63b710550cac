// One pass over the declarations of namespaces; bodies of functions and classes are skipped.
#include "declarations.hpp"

#include <algorithm>
#include <array>

namespace exactdot::simtcc {
namespace {

bool is_any_of(const token& t, const auto& words) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) { return t.is(word); });
}

/// Returns the token after a template's parameters, if `i` is `template`.
std::size_t after_template(const source_edits& source, std::size_t i) {
  while (source.at(i).is("template") && source.at(i + 1).is("<")) {
    int depth = 0;
    for (++i; i + 1 < source.size() && !source.at(i).is(";") && !source.at(i).is("{"); ++i) {
      const token& t = source.at(i);
      if (t.is("(") || t.is("[")) i = source.closing(i);
      if (t.is("<")) ++depth;
      if (t.is(">") || t.is(">>") || t.is(">>>")) depth -= static_cast<int>(t.text.size());
      if (depth <= 0) break;
    }
    ++i;
  }
  return i;
}

class declaration_reader {
 public:
  explicit declaration_reader(const source_edits& source) : source_(source) {}

  declarations read() {
    std::size_t first = 0;
    for (std::size_t i = 0; i + 1 < source_.size(); ++i) {
      const token& t = source_.at(i);
      if (t.is("(") || t.is("[")) {
        i = source_.closing(i);
      } else if (t.is(";") || t.is("}") || t.kind == token_kind::directive) {
        if (t.is(";")) note(first, i);
        first = i + 1;
      } else if (t.is("{")) {
        if (opens_namespace(first, i)) {
          first = i + 1;
          continue;
        }
        note(first, i);
        i = source_.closing(i);
        const token& next = source_.at(i + 1);
        if (!next.is(";") && !next.is(",") && !next.is("=") && !next.is("{") && !is_type(first)) first = i + 1;
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool opens_namespace(std::size_t first, std::size_t brace) const {
    if (source_.at(first).is("inline")) ++first;
    return source_.at(first).is("namespace") ||
           (source_.at(first).is("extern") && source_.at(first + 1).kind == token_kind::string &&
            first + 2 == brace);
  }
  [[nodiscard]] bool is_type(std::size_t first) const {
    static constexpr std::array<std::string_view, 5> keys = {"struct", "class", "union", "enum", "typedef"};
    return is_any_of(source_.at(after_template(source_, first)), keys);
  }

  void note(std::size_t first, std::size_t end) {
    if (first >= end || source_.file_of(end).system) return;  // a macro of the headers may begin it
    const std::size_t name = function_name(source_, first);
    if (name == 0) return note_variable_or_type(first, end);
    const std::string_view text = source_.at(name).text;
    if (says(source_, first, "__simtcc_global__")) {
      found_.kernels.insert(text);
    } else if (says(source_, first, "__simtcc_device__")) {
      found_.device_functions.insert(text);
    } else if (!says(source_, first, "constexpr") && !says(source_, first, "consteval")) {
      found_.host_functions.insert(text);
    }
  }

  void note_variable_or_type(std::size_t first, std::size_t end) {
    const bool has_linkage = says(source_, first, "extern");
    if (is_type(first) && source_.at(end).is("{")) {
      for (std::size_t i = after_template(source_, first) + 1; i < end && !source_.at(i).is(":"); ++i)
        if (source_.at(i).kind == token_kind::identifier) found_.types.insert(source_.at(i).text);
    }
    for (std::size_t i = first; i < end && has_linkage; ++i) {
      const token& next = source_.at(i + 1);
      const bool ends_name = next.is(";") || next.is("[") || next.is(",") || next.is("=");
      if (source_.at(i).kind == token_kind::identifier && ends_name) found_.linked.insert(source_.at(i).text);
    }
  }

  const source_edits& source_;
  declarations found_;
};

}  // namespace

declarations read_declarations(const source_edits& source) { return declaration_reader(source).read(); }

std::size_t function_name(const source_edits& source, std::size_t first) {
  static constexpr std::array<std::string_view, 8> with_parentheses = {
      "__attribute__", "alignas", "decltype", "noexcept", "__declspec", "explicit", "__asm__", "asm"};
  static constexpr std::array<std::string_view, 9> ends = {
      ";", "{", "=", "}", "using", "operator", "static_assert", "typedef", "friend"};
  for (std::size_t i = after_template(source, first); i + 1 < source.size() && !is_any_of(source.at(i), ends);
       ++i) {
    if (source.at(i).is("[")) i = source.closing(i);
    if (!source.at(i).is("(") || i <= first) continue;
    const token& name = source.at(i - 1);
    if (is_any_of(name, with_parentheses)) {
      i = source.closing(i);
      continue;
    }
    if (source.at(i + 1).is("*")) return 0;  // a pointer to functions
    const token& before = source.at(i >= 2 ? i - 2 : 0);
    const bool follows_type = i >= first + 2 && (before.kind == token_kind::identifier || before.is("*") ||
                                                 before.is("&") || before.is(">") || before.is(")"));
    return name.kind == token_kind::identifier && follows_type ? i - 1 : 0;
  }
  return 0;
}

bool is_of_user(const source_edits& source, std::size_t first) {
  std::size_t end = first;
  while (end + 1 < source.size() && !source.at(end).is(";") && !source.at(end).is("{")) ++end;
  return !source.file_of(end).system;
}

bool says(const source_edits& source, std::size_t first, std::string_view word) {
  if (source.at(first).is(word)) return true;
  for (std::size_t i = after_template(source, first); i + 1 < source.size(); ++i) {
    const token& t = source.at(i);
    if (t.is(word)) return true;
    if (t.is(";") || t.is("{") || t.is("=") || t.is("}")) break;
    if (t.is("(") || t.is("[")) i = source.closing(i);
  }
  return false;
}

}  // namespace exactdot::simtcc
