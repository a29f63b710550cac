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
    if (name == 0 || is_constructed(name)) return note_variable_or_type(first, end);
    const std::string_view text = source_.at(name).text;
    if (says(source_, first, "__simtcc_global__")) {
      found_.kernels.insert(text);
    } else if (says(source_, first, "__simtcc_device__")) {
      found_.device_functions.insert(text);
    } else if (!says(source_, first, "constexpr") && !says(source_, first, "consteval")) {
      found_.host_functions.insert(text);
    }
  }

  /// Whether a name is that of a variable with a literal in parentheses, as in std::vector<int> x(10).
  [[nodiscard]] bool is_constructed(std::size_t name) const {
    const token_kind kind = source_.at(name + 1).is("(") ? source_.at(name + 2).kind : token_kind::end;
    const bool is_literal =
        kind == token_kind::number || kind == token_kind::string || kind == token_kind::character;
    return is_literal && !source_.at(name).is("alignas");
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
    if (source_.at(end).is(";")) note_variables(first, end);
  }

  /// Notes the variables of a declaration, as far as single tokens tell them: no constants, references, members and
  /// templates, and nothing whose type is deduced.
  void note_variables(std::size_t first, std::size_t end) {
    static constexpr std::array<std::string_view, 23> others = {
        "using",     "typedef", "template", "namespace",    "static_assert",    "friend",
        "struct",    "class",   "union",    "enum",         "constexpr",        "const",
        "consteval", "auto",    "operator", "thread_local", "__thread",         "texture",
        "surface",   "asm",     "__asm__",  "decltype",     "__simtcc_shared__"};
    const bool is_managed = says(source_, first, "__simtcc_managed__");
    const bool is_constant = says(source_, first, "__simtcc_constant__");
    const bool is_device = is_constant || says(source_, first, "__simtcc_device__");
    const bool is_defined = !is_managed && !says(source_, first, "extern");
    if (std::any_of(others.begin(), others.end(),
                    [&](std::string_view word) { return says(source_, first, word); }))
      return note_device_names(first, end, is_device || is_managed);
    int angles = 0;
    for (std::size_t i = first; i < end; ++i) {
      const token& t = source_.at(i);
      if (t.is("&") || t.is("&&") || t.is("::")) {
        // of a reference or a member; a type may be qualified
        const bool is_type = t.is("::") && source_.at(i + 2).kind == token_kind::identifier;
        if (!is_type && !(t.is("::") && (source_.at(i + 2).is("<") || source_.at(i + 2).is("*")))) return;
      }
      if (t.is("<")) ++angles;
      if (t.is(">") || t.is(">>")) angles -= static_cast<int>(t.text.size());
      const bool is_attribute =
          i > first && (source_.at(i - 1).is("alignas") || source_.at(i - 1).is("__attribute__"));
      if (t.is("=") || (t.is("(") && !is_attribute)) return;  // of a pointer to functions
      if (is_opening(t)) i = source_.closing(i);
      const token& next = source_.at(i + 1);
      const bool ends_name =
          next.is("[") || next.is(",") || next.is(";") || next.is("=") || next.is("{") || is_constructed(i);
      if (i == first || t.kind != token_kind::identifier || angles != 0 || !ends_name) continue;
      (is_device || is_managed ? found_.device_variables : found_.host_variables).insert(t.text);
      const std::string_view keyword = is_constant ? "__constant__" : is_device ? "__device__" : "";
      if (is_defined) found_.variables.push_back({t.text, keyword, i, end});
      i = end_of_declarator(i + 1, end);
    }
  }
  /// Returns the comma after a declarator, outside of brackets; `end` if it is the last one.
  [[nodiscard]] std::size_t end_of_declarator(std::size_t i, std::size_t end) const {
    for (; i < end && !source_.at(i).is(","); ++i) {
      if (is_opening(source_.at(i))) i = source_.closing(i);
    }
    return i;
  }
  /// The names of variables of the device that are not listed: device code may use a host's name that is one of
  /// these too.
  void note_device_names(std::size_t first, std::size_t end, bool is_device) {
    for (std::size_t i = first; i < end && is_device; ++i) {
      if (source_.at(i).kind == token_kind::identifier) found_.device_variables.insert(source_.at(i).text);
    }
  }

  const source_edits& source_;
  declarations found_;
};

}  // namespace

declarations read_declarations(const source_edits& source) { return declaration_reader(source).read(); }

std::size_t function_name(const source_edits& source, std::size_t first) {
  static constexpr std::array<std::string_view, 10> with_parentheses = {
      "__attribute__",          "alignas", "decltype", "noexcept", "__declspec", "explicit", "__asm__", "asm",
      "__simtcc_cluster_dims__", "__simtcc_launch_bounds__"};
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
