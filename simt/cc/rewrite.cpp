// One pass over the tokens that keeps the enclosing braces and the start of the statement.
#include "rewrite.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace exactdot::simtcc {
namespace {

class pass {
 public:
  pass(source_edits& source, const declarations& names, const rewriting& how)
      : source_(source), names_(names), compiler_(how.compiler), relocatable_(how.relocatable) {}

  void run() {
    for (i_ = 0; i_ + 1 < source_.size(); ++i_) {
      const token& t = source_.at(i_);
      if (t.kind == token_kind::identifier) {
        identifier(t);
      } else if (t.is("<<<") || (t.is("<<") && source_.at(i_ + 1).is("<"))) {
        rewrite_launch(source_, i_, inside(), names_, [this](std::string_view name) { return is_local(name); });
      } else if (t.kind == token_kind::directive) {
        statement_ = i_ + 1;
      } else if (t.kind == token_kind::punctuation) {
        punctuation(t);
      }
    }
    for (const open_brace& brace : braces_) {
      if (brace.kind == scope_kind::kernel || brace.kind == scope_kind::device_function)
        source_.refuse(brace.at, "a function that this { begins and no } ends");
    }
  }

 private:
  struct open_brace {
    scope_kind kind;
    int parentheses;  // open around the brace
    std::size_t at;
    std::size_t statement;            // that begins the function or class
    std::vector<std::string> shared;  // its __shared__ variables
    std::string arguments = {};  // of a kernel, for kernel_body(): its named parameters, the size of its clusters
  };

  /// The innermost function or namespace.
  [[nodiscard]] scope_kind inside() const {
    for (auto brace = braces_.rbegin(); brace != braces_.rend(); ++brace) {
      if (brace->kind == scope_kind::kernel || brace->kind == scope_kind::device_function) return brace->kind;
    }
    return braces_.empty() ? scope_kind::name_space : braces_.back().kind;
  }

  void punctuation(const token& t) {
    if (t.is("(") || t.is("[")) {
      ++parentheses_;
    } else if (t.is(")") || t.is("]")) {
      --parentheses_;
    } else if (t.is("{")) {
      open();
    } else if (t.is("}")) {
      close();
    } else if (t.is(";") && parentheses_ == 0) {
      statement_ = i_ + 1;
    }
  }

  [[nodiscard]] scope_kind kind_of_brace() const {
    const auto body = bodies_.find(i_);
    if (body != bodies_.end()) return body->second;
    std::size_t first = statement_;
    if (source_.at(first).is("inline")) ++first;
    const bool linkage =
        source_.at(first).is("extern") && source_.at(first + 1).kind == token_kind::string && first + 2 == i_;
    return source_.at(first).is("namespace") || linkage ? scope_kind::name_space : scope_kind::other;
  }

  void open() {
    const scope_kind kind = kind_of_brace();
    if (kind == scope_kind::kernel) {
      source_.insert_after(
          i_, list_of_bounds() +
                  (compiler_ == host_compiler::clang
                       ? " ::exactdot::simt::detail::kernel_body([=]() __attribute__((always_inline)) mutable {"
                       : " ::exactdot::simt::detail::kernel_body([=]() mutable __attribute__((always_inline)) {"));
    }
    braces_.push_back({kind, parentheses_, i_, statement_, {}});
    if (kind == scope_kind::kernel) braces_.back().arguments = arguments_of_kernel();
    parentheses_ = 0;
    statement_ = i_ + 1;
  }

  void close() {
    if (!braces_.empty()) {
      if (braces_.back().kind == scope_kind::kernel)
        source_.insert_before(i_, "}" + braces_.back().arguments + ");");
      parentheses_ = braces_.back().parentheses;
      braces_.pop_back();
    }
    statement_ = i_ + 1;
  }

  /// What kernel_body() gets after the body of the kernel that begins here.
  [[nodiscard]] std::string arguments_of_kernel() const {
    const std::string pointers = pointers_of_kernel(source_, i_);
    const std::size_t name = function_name(source_, statement_);
    const auto cluster = cluster_sizes_.find(source_.at(name).text);
    return cluster == cluster_sizes_.end()
               ? pointers
               : (pointers.empty() ? ", {}" : pointers) + ", dim3(" + cluster->second + ")";
  }
  /// What a kernel with __launch_bounds__ begins with: its place and the number of threads, in a section that the
  /// runtime reads, in the group of the kernel's own section.
  [[nodiscard]] std::string list_of_bounds() const {
    if (bounds_statement_ != statement_) return "";
    return " __asm__ __volatile__(\"77: .pushsection exactdot_launch_bounds,\\\"a?\\\",@progbits; .balign 4; .long "
           "77b - .; "
           ".long %c0; .popsection\" :: \"i\"(std::integral_constant<unsigned, "
           "::exactdot::simt::detail::most_threads(" +
           bounds_ + ")>::value));";
  }
  /// __cluster_dims__(x, y, z) of a kernel's declaration.
  void note_cluster_size() {
    const std::size_t open = i_ + 1, close = source_.closing(open), name = function_name(source_, statement_);
    if (!source_.at(open).is("(") || name == 0)
      return source_.refuse(i_, "__cluster_dims__: expected __cluster_dims__(x, y, z) before the name of a kernel");
    cluster_sizes_[source_.at(name).text] = source_.text_between(open, close);
    source_.remove(i_, close + 1);
  }
  /// __launch_bounds__(threads, …) of a kernel.
  void note_bounds() {
    const std::size_t open = i_ + 1, close = source_.closing(open);
    bounds_statement_ = statement_, bounds_ = source_.text_between(open, close);
    source_.remove(i_, close + 1);
  }

  void identifier(const token& t) {
    if (t.is("__simtcc_cluster_dims__")) {
      note_cluster_size();
    } else if (t.is("__simtcc_launch_bounds__")) {
      note_bounds();
    } else if (t.is("__simtcc_host__")) {
      source_.replace(i_, "");
    } else if (t.is("__simtcc_global__")) {
      note_body(scope_kind::kernel);
      if (!returns_void()) source_.refuse(i_, "a __global__ function that returns something; expected void");
      source_.replace(i_, compiler_ == host_compiler::clang
                              ? "__attribute__((noinline, patchable_function_entry(1)))"
                              : "__attribute__((noipa, patchable_function_entry(1)))");
    } else if (t.is("__simtcc_device__")) {
      note_body(scope_kind::device_function);
      specify(source_, i_, linkage());
    } else if (t.is("__simtcc_managed__")) {
      specify(source_, i_, linkage());
    } else if (t.is("__simtcc_shared__")) {
      add_shared(rewrite_shared(source_, i_, statement_, parentheses_ > 0, inside(), compiler_));
    } else if (t.is("__simtcc_constant__")) {
      rewrite_constant(source_, i_, statement_, linkage());
    } else if (t.is("__simtcc_forceinline__")) {
      source_.replace(i_, has_inline() ? "" : "inline");
    } else if (t.is("__simtcc_noinline__")) {
      const bool in_attribute = i_ > 0 && (source_.at(i_ - 1).is("(") || source_.at(i_ - 1).is(","));
      source_.replace(i_, in_attribute ? "__noinline__" : "__attribute__((noinline))");
    } else if (!source_.file_of(i_).system) {
      if (t.is("cudaLaunchKernel") || t.is("cudaLaunchCooperativeKernel")) rewrite_launch_call(source_, i_);
      const bool is_texture = t.is("texture") && source_.at(i_ + 1).is("<") && !names_.is_users("texture");
      if (is_texture && !source_.at(i_ - 1).is("::")) source_.replace(i_, "::exactdot::simt::texture_reference");
      if (t.is("asm") || t.is("__asm__") || t.is("__asm")) rewrite_assembly(source_, i_);
      const scope_kind scope = inside();
      if (scope != scope_kind::name_space && is_memory_function(source_, i_) && !names_.is_users(t.text) &&
          !is_local(t.text) && !is_in_constexpr())
        rewrite_memory_function(source_, i_);
      refuse_unsupported(source_, i_, scope, names_);
      if (scope == scope_kind::kernel || scope == scope_kind::device_function)
        check_call(t), check_variable(t), check_library(t);
    }
  }

  /// As of nvcc, variables that only the device has belong to their file, unless device code is relocatable.
  /// Returns what makes them so, for the first keyword of a declaration.
  [[nodiscard]] std::string linkage() {
    static constexpr std::array<std::string_view, 9> others = {
        "static", "extern", "inline", "constexpr", "const", "template", "__simtcc_host__", "__simtcc_forceinline__",
        "typedef"};
    if (relocatable_ || inside() != scope_kind::name_space || parentheses_ != 0 || internal_ == statement_)
      return "";
    if (!is_of_user(source_, i_) || says(source_, statement_, "__simtcc_global__")) return "";
    if (std::any_of(others.begin(), others.end(),
                    [&](std::string_view word) { return says(source_, statement_, word); }))
      return "";
    for (std::size_t i = statement_; i < i_; ++i) {
      if (source_.at(i).is("=")) return "";  // of a lambda
    }
    if (function_name(source_, statement_) != 0 || !declares_variable()) return "";
    internal_ = statement_;
    return "static __attribute__((unused)) ";
  }
  /// Whether the statement declares a variable of a namespace that is not extern elsewhere in the text.
  [[nodiscard]] bool declares_variable() const {
    for (std::size_t i = statement_; i + 1 < source_.size(); ++i) {
      const token& t = source_.at(i);
      if (t.kind == token_kind::identifier && names_.linked.contains(t.text)) return false;
      const token& after_name = source_.at(t.is("::") ? i + 2 : i);  // of a member's definition
      if (t.is("::") && (after_name.is("(") || after_name.is("=") || after_name.is(";") || after_name.is("[") ||
                         after_name.is("{")))
        return false;
      if (t.is("operator")) return false;
      if (t.is(";") || t.is("=") || t.is("{")) return true;
      if (t.is("[")) i = source_.closing(i);
      const bool is_pointer = source_.at(i + 1).is("*") || source_.at(i - 1).is(")");  // to functions
      if (t.is("(") && !is_pointer && !source_.at(i - 1).is("__attribute__") && !source_.at(i - 1).is("alignas"))
        return false;
      if (t.is("(")) i = source_.closing(i);
    }
    return false;
  }

  void add_shared(std::vector<std::string> names) {
    if (names.empty()) return;
    if (braces_.empty() || inside() == scope_kind::name_space) return limit_shared(source_, i_, names);
    for (std::string& name : names) braces_.back().shared.push_back(std::move(name));
    std::vector<std::string> visible;
    for (const open_brace& brace : braces_) visible.insert(visible.end(), brace.shared.begin(), brace.shared.end());
    limit_shared(source_, i_, visible);
  }

  [[nodiscard]] std::vector<open_brace>::const_iterator outermost_function() const {
    return std::find_if(braces_.begin(), braces_.end(),
                        [](const open_brace& brace) { return brace.kind != scope_kind::name_space; });
  }
  /// The innermost kernel or function of the device around this token, which there is.
  [[nodiscard]] const open_brace& innermost_of_device() const {
    return *std::find_if(braces_.rbegin(), braces_.rend(), [](const open_brace& brace) {
      return brace.kind == scope_kind::kernel || brace.kind == scope_kind::device_function;
    });
  }
  /// Reports the call of a function of the host from a kernel or a function that only the device has.
  void check_call(const token& t) {
    if (!source_.at(i_ + 1).is("(") || !names_.host_functions.contains(t.text)) return;
    if (names_.device_functions.contains(t.text) || names_.kernels.contains(t.text) ||
        names_.types.contains(t.text))
      return;
    const token& before = source_.at(i_ - 1);
    if (before.is(".") || before.is("->") || before.is("::")) return;
    const open_brace& function = innermost_of_device();
    if (is_for_host(function) || is_local(t.text)) return;
    const std::size_t caller = function_name(source_, function.statement);
    source_.report_error(i_, "calling a __host__ function (\"" + std::string(t.text) + "\") from a " +
                                 (function.kind == scope_kind::kernel ? "__global__" : "__device__") + " function" +
                                 (caller == 0 ? "" : " (\"" + std::string(source_.at(caller).text) + "\")") +
                                 " is not allowed");
  }
  /// Reports a variable of the host in a kernel or a function that only the device has. What this cannot know is a
  /// finding of the program.
  void check_variable(const token& t) {
    if (!names_.host_variables.contains(t.text) || names_.device_variables.contains(t.text)) return;
    const token &before = source_.at(i_ - 1), &next = source_.at(i_ + 1);
    const bool is_qualified =
        before.is("::") && (source_.at(i_ - 2).kind == token_kind::identifier || source_.at(i_ - 2).is(">"));
    if (before.is(".") || before.is("->") || is_qualified || next.is("(") || next.is(":") || next.is("::")) return;
    const open_brace& function = innermost_of_device();
    if (is_for_host(function) || is_unevaluated(function.at)) return;
    if (!before.is("::") && is_local_variable(t.text)) return;
    source_.report_error(i_, "identifier \"" + std::string(t.text) +
                                 "\" is undefined in device code: it is a variable of the host; expected a "
                                 "parameter, or a __device__, __constant__ or __managed__ variable");
  }
  /// Reports a name of the standard library that is the host's only: compiled for a CPU it would work.
  void check_library(const token& t) {
    const std::string name = name_of_host_library(source_, i_);
    if (name.empty() || (!name.starts_with("std::") && (names_.is_users(t.text) || is_local_variable(t.text))))
      return;
    const open_brace& function = innermost_of_device();
    if (is_for_host(function)) return;
    source_.report_error(i_, "\"" + name + "\" is not allowed in device code: it is of the host's library" +
                                 (t.is("cout") || t.is("cerr") ? "; printf() prints from a kernel" : ""));
  }
  [[nodiscard]] bool is_in_constexpr() const {
    return std::any_of(outermost_function(), braces_.end(),
                       [this](const open_brace& brace) { return says(source_, brace.statement, "constexpr"); });
  }
  /// Whether a function or lambda is one for the host too.
  [[nodiscard]] bool is_for_host(const open_brace& function) const {
    for (std::size_t i = function.statement; i < function.at; ++i) {
      if (source_.at(i).is("__simtcc_host__")) return true;
    }
    return false;
  }
  /// Whether this token is an operand of sizeof and the like.
  [[nodiscard]] bool is_unevaluated(std::size_t first) const {
    static constexpr std::array<std::string_view, 5> operators = {"sizeof", "decltype", "alignof", "noexcept",
                                                                  "__typeof__"};
    for (std::size_t i = i_ - 1; i > first; --i) {
      if (is_closing(source_.at(i))) i = source_.opening(i);
      if (source_.at(i).is(";") || source_.at(i).is("{")) return false;
      if (std::any_of(operators.begin(), operators.end(),
                      [&](std::string_view word) { return source_.at(i).is(word); }))
        return source_.at(i + 1).is("(") || i + 1 == i_;
    }
    return false;
  }
  [[nodiscard]] bool is_local_variable(std::string_view name) const {
    const auto outermost = outermost_function();
    return may_declare(source_, name, outermost->statement, i_) ||
           std::any_of(outermost, braces_.end(), [&](const open_brace& brace) { return has_member(brace, name); });
  }
  /// Whether a name may mean something else here than a function of a namespace: a parameter, a variable or a
  /// member.
  [[nodiscard]] bool is_local(std::string_view name) const {
    const auto outermost = outermost_function();
    if (outermost == braces_.end()) return false;
    return is_declared(name, outermost->statement) ||
           std::any_of(outermost, braces_.end(), [&](const open_brace& brace) { return has_member(brace, name); });
  }
  /// Whether the text from `first` to here declares a parameter or variable of this name.
  [[nodiscard]] bool is_declared(std::string_view name, std::size_t first) const {
    const std::size_t function = function_name(source_, first);
    for (std::size_t i = first + 1; i <= i_; ++i) {
      if (source_.at(i).text != name || i == function) continue;
      const token& before = source_.at(i - 1);
      const bool after_type =
          (before.kind == token_kind::identifier && !before.is("return") && !before.is("else")) || before.is(">") ||
          ((before.is("*") || before.is("&")) && !source_.at(i + 1).is("("));
      if (after_type) return true;
    }
    return false;
  }
  /// Whether an open brace is that of a class that may have a member of this name, or of a member function that is
  /// defined outside of its class.
  [[nodiscard]] bool has_member(const open_brace& brace, std::string_view name) const {
    for (std::size_t i = brace.statement; i < brace.at; ++i) {
      const bool is_name = source_.at(i + 1).kind == token_kind::identifier && source_.at(i + 2).is("(") &&
                           source_.closing(i + 2) < brace.at;
      if (source_.at(i).is("::") && (is_name || source_.at(i + 1).is("operator"))) return true;
      if (source_.at(i).is("(")) i = source_.closing(i);
    }
    static constexpr std::array<std::string_view, 3> keys = {"struct", "class", "union"};
    if (std::none_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return says(source_, brace.statement, key); }))
      return false;
    for (std::size_t i = brace.statement; i < brace.at; ++i) {
      if (source_.at(i).is(":")) return true;  // of a base
    }
    for (std::size_t i = brace.at + 1, end = source_.closing(brace.at); i < end; ++i) {
      if (source_.at(i).text == name) return true;
      if (is_opening(source_.at(i))) i = source_.closing(i);
    }
    return false;
  }

  /// Notes the kind of the braces that follow a declaration with __global__ or __device__, if it is a definition of
  /// a function.
  void note_body(scope_kind kind) {
    for (std::size_t i = i_ + 1; i + 1 < source_.size(); ++i) {
      const token& t = source_.at(i);
      if (t.is("(") || t.is("[")) {
        i = source_.closing(i);
      } else if (t.is("{")) {
        bodies_.try_emplace(i, kind);
        if (kind == scope_kind::kernel) bodies_[i] = kind;
        return;
      } else if (t.is(";") || t.is("=") || is_closing(t)) {
        return;
      }
    }
  }

  /// Returns whether the declaration of a kernel names void as its result, or auto.
  [[nodiscard]] bool returns_void() const {
    for (std::size_t i = statement_; i + 1 < source_.size(); ++i) {
      const token& t = source_.at(i);
      if (t.is("void")) return !source_.at(i + 1).is("*");
      if (t.is("auto")) return true;
      if (t.is("(") || t.is("[")) i = source_.closing(i);
      if (t.is("{") || t.is(";")) break;
    }
    return false;
  }

  /// Returns whether the declaration says inline beside __forceinline__.
  [[nodiscard]] bool has_inline() const {
    const auto is_inline = [](const token& t) { return t.is("inline") || t.is("__inline__") || t.is("__inline"); };
    for (std::size_t i = statement_; i + 1 < source_.size() && !source_.at(i).is("(") && !source_.at(i).is(";");
         ++i) {
      if (is_inline(source_.at(i)) || (i < i_ && source_.at(i).is("__simtcc_forceinline__"))) return true;
    }
    return false;
  }

  source_edits& source_;
  const declarations& names_;
  host_compiler compiler_;
  bool relocatable_;
  std::size_t internal_ = ~std::size_t{0};  // the declaration that linkage() has made one of its file
  std::size_t i_ = 0, statement_ = 0;
  int parentheses_ = 0;
  std::vector<open_brace> braces_;
  std::map<std::size_t, scope_kind> bodies_;               // by the index of the opening brace
  std::map<std::string_view, std::string> cluster_sizes_;  // of kernels, by their names
  std::string bounds_;                                     // of the last kernel that has them, and where it begins
  std::size_t bounds_statement_ = static_cast<std::size_t>(-1);
};

}  // namespace

rewritten rewrite(std::string_view preprocessed, const std::string& file, const rewriting& how) {
  source_edits source(preprocessed, file);
  refuse_headers(source);
  const declarations names = read_declarations(source);
  refuse_libraries(source, names);
  pass(source, names, how).run();
  register_variables(source, names);
  std::vector<std::string> files;
  for (const source_file& one : source.files()) {
    if (!one.system) files.push_back(one.name);
  }
  return {source.result(), source.problems(), notes_of(source, names), files};
}

}  // namespace exactdot::simtcc
