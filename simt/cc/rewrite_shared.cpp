// __shared__ variables: thread-local variables of the CPU thread (shared_memory.hpp in simt/src), and dynamic
// shared memory.
//
// In a function `extern __shared__ T s[]` becomes a reference, so that arrays of one name may differ in type.
// Outside of functions it names the simulator's symbol. __constant__ variables get a section of their own.
#include "rewrite.hpp"

namespace exactdot::simtcc {
namespace {

/// Without constinit, Clang asks at each access to an extern variable whether it is initialised; with it, Clang
/// refuses a variable of a struct without initialisers.
const char* external_variable(host_compiler compiler) {
  return compiler == host_compiler::clang ? "__attribute__((require_constant_initialization)) thread_local"
                                          : "__constinit thread_local";
}
const char* variable_of(host_compiler compiler) {
  return compiler == host_compiler::clang ? "thread_local" : "__constinit thread_local";
}

constexpr const char* constant = "__attribute__((section(\"exactdot_constant\")))";

/// One array of the declaration: its name, and its last bracket.
struct declarator {
  std::size_t name, last;
};

std::vector<declarator> arrays_of(const source_edits& source, std::size_t first, std::size_t end) {
  std::vector<declarator> found;
  for (std::size_t i = first; i < end; ++i) {
    if (source.at(i).is("(") || source.at(i).is("{")) {
      i = source.closing(i);
    } else if (source.at(i).is("[") && i > first && source.at(i - 1).kind == token_kind::identifier) {
      declarator array{i - 1, source.closing(i)};
      while (source.at(array.last + 1).is("[")) array.last = source.closing(array.last + 1);
      i = array.last;
      found.push_back(array);
    }
  }
  return found;
}

/// The names that a declaration declares: before a bracket, a comma or the end, outside of template arguments.
std::vector<std::string> names_of(const source_edits& source, std::size_t first, std::size_t end) {
  std::vector<std::string> names;
  int angles = 0;
  for (std::size_t i = first; i < end; ++i) {
    const token& t = source.at(i);
    const token& next = source.at(i + 1);
    if (t.is("<")) ++angles;
    if (t.is(">") || t.is(">>")) angles -= static_cast<int>(t.text.size());
    if (is_opening(t)) i = source.closing(i);
    if (t.kind == token_kind::identifier && angles == 0 && (next.is("[") || next.is(",") || next.is(";")))
      names.emplace_back(t.text);
  }
  return names;
}

void rewrite_extern(source_edits& source, std::size_t i, std::size_t keyword, std::size_t first, std::size_t end,
                    bool in_function, host_compiler compiler) {
  const std::vector<declarator> arrays = arrays_of(source, first, end);
  if (arrays.empty())
    return source.refuse(i, "extern __shared__ without an array: expected extern __shared__ T name[]");
  if (in_function) source.replace(keyword, "");
  specify(source, i, in_function ? "" : external_variable(compiler));
  for (const auto& [name, last] : arrays) {
    if (in_function) {
      source.insert_before(name, "(&");
      source.insert_after(name, ")");
      source.insert_after(last, " = ::exactdot::simt::detail::dynamic_array()");
    } else {
      source.insert_after(last, " __asm__(\"exactdot_dynamic_shared\")");
    }
  }
}

/// Whether the brace at `at` begins the members of a struct or union that the declaration defines.
bool is_of_type(const source_edits& source, std::size_t at) {
  for (std::size_t i = at; i-- > 0 && (source.at(i).kind == token_kind::identifier || source.at(i).is(")"));) {
    if (source.at(i).is("struct") || source.at(i).is("union") || source.at(i).is("class")) return true;
  }
  return false;
}

}  // namespace

void specify(source_edits& source, std::size_t keyword, const std::string& specifiers) {
  std::size_t last = keyword;
  for (std::size_t i = keyword + 1; i + 2 < source.size(); ++i) {
    const bool is_alignment = source.at(i).is("alignas") && source.at(i + 1).is("(");
    if (is_alignment || (source.at(i).is("[") && source.at(i + 1).is("["))) {
      last = i = source.closing(is_alignment ? i + 1 : i);
    } else if (!source.at(i).text.starts_with("__simtcc_")) {
      break;
    }
  }
  if (last == keyword) return source.replace(keyword, specifiers);
  source.replace(keyword, "");
  if (!specifiers.empty()) source.insert_after(last, " " + specifiers);
}

std::vector<std::string> rewrite_shared(source_edits& source, std::size_t i, std::size_t statement,
                                        bool in_parentheses, scope_kind inside, host_compiler compiler) {
  if (in_parentheses) return source.replace(i, ""), std::vector<std::string>();  // of a parameter: says nothing
  std::size_t end = i, keyword = source.size();
  bool initialised = false;
  for (std::size_t j = statement; j < i; ++j) {
    if (source.at(j).is("extern")) keyword = j;
  }
  for (; end + 1 < source.size() && !source.at(end).is(";") && !source.at(end).is("}"); ++end) {
    if (source.at(end).is("extern")) keyword = end;
    initialised |= source.at(end).is("=") || (source.at(end).is("{") && !is_of_type(source, end));
    if (is_opening(source.at(end))) end = source.closing(end);
  }
  if (keyword != source.size())
    return rewrite_extern(source, i, keyword, statement, end, inside != scope_kind::name_space, compiler),
           std::vector<std::string>();
  if (initialised)
    return source.refuse(i, "a __shared__ variable with an initialiser, which CUDA does not have"),
           std::vector<std::string>();
  specify(source, i, variable_of(compiler));
  return source.file_of(end).system || !source.at(end).is(";") ? std::vector<std::string>()
                                                               : names_of(source, i + 1, end);
}

void limit_shared(source_edits& source, std::size_t i, const std::vector<std::string>& names) {
  std::size_t end = i;
  for (; !source.at(end).is(";"); ++end) {
    if (is_opening(source.at(end))) end = source.closing(end);
  }
  std::string sum;
  for (const std::string& name : names) sum += (sum.empty() ? "sizeof " : " + sizeof ") + name;
  if (!sum.empty())
    source.insert_after(end, " static_assert(" + sum + " <= 0xc000, \"static shared memory above 48 KB\");");
}

/// A variable with const, a template, or a variable in a function, has no place in a section with others.
void rewrite_constant(source_edits& source, std::size_t i, std::size_t statement, const std::string& linkage) {
  for (std::size_t j = statement; j + 1 < source.size() && !source.at(j).is(";") && !source.at(j).is("="); ++j) {
    if (source.at(j).is("const") || source.at(j).is("constexpr") || source.at(j).is("template"))
      return source.replace(i, "");
  }
  specify(source, i, linkage + constant);
}

}  // namespace exactdot::simtcc
