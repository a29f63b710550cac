// simtcc: preprocess, rewrite, compile, link.
//
// The host compiler preprocesses each CUDA file first, so macros, includes and conditions are its own, as they are
// with nvcc; rewrite.hpp changes what is left. Line markers make messages and findings name the user's files and
// lines.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "command/command.hpp"
#include "languages.hpp"
#include "options.hpp"
#include "process.hpp"
#include "rewrite.hpp"
#include "source_names.hpp"

namespace exactdot::simtcc {
namespace {

using command = std::vector<std::string>;

/// Where the package's headers and libraries are: beside this program if it is installed, else in its build folder.
struct package {
  std::string include, runtime, simulator, libraries;
};

package find_package() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path prefix = program.parent_path().parent_path();
  const std::filesystem::path libraries = prefix / EXACTDOT_LIBRARY_FOLDER;
  if (std::filesystem::exists(libraries / "libexactdot_simt_runtime.a")) {
    return {"-I" + (prefix / EXACTDOT_INCLUDE_FOLDER).string(), (libraries / "libexactdot_simt_runtime.a").string(),
            (libraries / "libexactdot_simt.a").string(), "-L" + libraries.string() + " " EXACTDOT_SYSTEM_LIBRARIES};
  }
  return {EXACTDOT_BUILD_INCLUDES, EXACTDOT_BUILD_RUNTIME, EXACTDOT_BUILD_SIMULATOR, EXACTDOT_SYSTEM_LIBRARIES};
}

void append_words(command& to, const std::string& words, char separator = ' ') {
  for (std::size_t first = 0; first < words.size();) {
    const std::size_t end = std::min(words.find(separator, first), words.size());
    if (end != first) to.push_back(words.substr(first, end - first));
    first = end + 1;
  }
}

/// After a failed preprocessing: if a header of CUDA is missing, says that it is not modelled.
void explain_missing_header(const std::string& errors) {
  const std::size_t end = errors.find(": No such file or directory");
  const std::size_t clang_end = errors.find("' file not found");
  std::string header;
  if (end != std::string::npos) {
    const std::size_t begin = errors.rfind(' ', end - 1);
    header = errors.substr(begin + 1, end - begin - 1);
  } else if (clang_end != std::string::npos) {
    const std::size_t begin = errors.rfind('\'', clang_end - 1);
    header = errors.substr(begin + 1, clang_end - begin - 1);
  }
  const std::string library(library_of_header(header));
  if (!library.empty()) std::fprintf(stderr, "simtcc: %s: %s is not modelled\n", header.c_str(), library.c_str());
}

class build {
 public:
  explicit build(options settings) : options_(std::move(settings)), package_(find_package()) {
    const std::string name = options_.compiler.substr(options_.compiler.rfind('/') + 1);
    compiler_ = name.find("clang") != std::string::npos ? host_compiler::clang : host_compiler::gnu;
  }

  int run() {
    check_inputs();
    command objects;
    for (const std::string& file : options_.cuda_files) {
      const std::string object = object_of(file);
      const int status = compile_cuda(file, object);
      if (status != 0) return status;
      objects.push_back(object);
    }
    if (options_.only_rewrite) return 0;
    if (options_.only_objects) return compile_host_files();
    const int status = link(objects);
    return status == 0 && options_.run_program ? run_result() : status;
  }

 private:
  void check_inputs() const {
    for (const auto* const list : {&options_.cuda_files, &options_.other_inputs}) {
      for (const std::string& file : *list) {
        if (access(file.c_str(), R_OK) != 0) fail(file + ": no such file, or it cannot be read");
        if (std::filesystem::is_directory(file)) fail(file + ": is a folder; expected a file");
      }
    }
    check_outputs();
    if (!options_.only_objects) return;
    const std::size_t objects = options_.cuda_files.size() + options_.other_inputs.size();
    if (!options_.output.empty() && objects > 1)
      fail("-o " + options_.output + ": one name for " + std::to_string(objects) + " objects");
    for (const std::string& file : options_.other_inputs) {
      if (language_of(file, options_.language).empty()) fail("-c " + file + ": expected sources of CUDA, C++ or C");
    }
  }

  struct output_file {
    const char* option;
    const std::string& file;
  };
  [[nodiscard]] std::vector<output_file> outputs() const {
    return {{"-o ", options_.output}, {"--json ", options_.report}, {"--html ", options_.page}};
  }
  /// An output replaces any file but those that it is made of: inputs, and the headers that they include.
  void check_not_replaced(const std::vector<std::string>& inputs) const {
    for (const auto& [option, file] : outputs()) {
      for (const std::string& input : inputs) {
        if (is_same_file(file, input)) fail(option + file + ": is an input; it would be replaced");
      }
    }
  }

  /// Neither the program nor its report may replace a source file or each other.
  void check_outputs() const {
    check_not_replaced(options_.cuda_files);
    check_not_replaced(options_.other_inputs);
    for (const auto& [option, file] : outputs()) {
      if (simt::has_name_of_source(file) && !(options_.only_rewrite && &file == &options_.output))
        fail(option + file + ": has the name of a source file");
      if (std::filesystem::is_directory(file)) fail(option + file + ": is a folder; expected a file");
    }
    if (is_same_file(options_.report, program())) fail("--json " + options_.report + ": is the program itself");
    if (is_same_file(options_.page, program())) fail("--html " + options_.page + ": is the program itself");
    if (is_same_file(options_.page, options_.report))
      fail("--html " + options_.page + ": is the file of --json too");
    if (options_.only_rewrite && !options_.output.empty() && options_.cuda_files.size() > 1)
      fail("--rewrite -o " + options_.output + ": one name for " + std::to_string(options_.cuda_files.size()) +
           " sources");
  }
  static bool is_same_file(const std::string& left, const std::string& right) {
    std::error_code absent;
    return !left.empty() &&
           (std::filesystem::path(left).lexically_normal() == std::filesystem::path(right).lexically_normal() ||
            std::filesystem::equivalent(left, right, absent));
  }

  [[nodiscard]] std::string object_of(const std::string& file) const {
    if (!options_.only_objects) return files_.file(std::to_string(&file - options_.cuda_files.data()) + ".o");
    if (!options_.output.empty()) return options_.output;
    return std::filesystem::path(options_.folder) / (std::filesystem::path(file).stem().string() + ".o");
  }
  [[nodiscard]] std::string program() const { return options_.output.empty() ? "a.out" : options_.output; }

  /// Runs the program, as nvcc's -run does. Returns its status.
  [[nodiscard]] int run_result() const {
    command arguments = {std::filesystem::absolute(program()).string()};
    arguments.insert(arguments.end(), options_.run_arguments.begin(), options_.run_arguments.end());
    return execute(arguments);
  }

  int execute(const command& arguments, const std::string& output = "", const std::string& errors = "") const {
    if (options_.show_commands) {
      for (const std::string& argument : arguments) std::fprintf(stderr, "%s ", argument.c_str());
      std::fputc('\n', stderr);
    }
    if (!options_.run_commands) return 0;
    const int status = run_program(arguments, {.output = output, .errors = errors});
    if (status == 127)
      fail(arguments[0] +
           ": cannot be started; install g++ or clang (apt-get install g++, dnf install gcc-c++), or name "
           "another compiler by --compiler NAME or SIMTCC_CXX");
    return status;
  }

  [[nodiscard]] command base_command() const {
    command arguments = {options_.compiler, "-std=gnu++" + options_.standard};
    arguments.insert(arguments.end(), options_.compile_options.begin(), options_.compile_options.end());
    return arguments;
  }

  /// The options with which the headers are found. /usr/include is searched anyway, and has to come after the
  /// headers of the C++ library, which continue in it by #include_next.
  void append_headers(command& arguments) const {
    for (std::string& word : words_of(package_.include)) {
      const std::string folder = word.substr(2);
      if (folder != "/usr/include") arguments.insert(arguments.end(), {"-isystem", folder});
      if (std::filesystem::exists(folder + "/exactdot/simt/toolkit"))
        arguments.insert(arguments.end(), {"-isystem", folder + "/exactdot/simt/toolkit", "-idirafter",
                                           folder + "/exactdot/simt/samples/include"});
    }
  }
  /// Empty headers, before those of the system.
  void append_refused_headers(command& arguments) const {
    std::filesystem::path folder;
    for (const std::string& name : headers_refused_at_use()) {
      const std::filesystem::path header = files_.file(name);
      if (folder.empty()) std::filesystem::create_directories(folder = header.parent_path());
      write_file(header.string(), "");
    }
    arguments.insert(arguments.end(), {"-isystem", folder.string()});
  }
  static command words_of(const std::string& text) {
    command words;
    append_words(words, text);
    return words;
  }

  [[nodiscard]] std::optional<std::string> preprocess(const std::string& file, int& status) const {
    command arguments = base_command();
    arguments.insert(arguments.end(), {"-D__SIMTCC__=1", "-D__CUDACC__=1", "-D__NVCC__=1",
                                       "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0"});
    if (options_.define_architecture)
      arguments.push_back("-D__CUDA_ARCH__=" + std::to_string(options_.architecture) + "0");
    append_headers(arguments);
    append_refused_headers(arguments);
    arguments.insert(arguments.end(), {"-include", "cuda_runtime.h", "-x", "c++", "-E", file});
    append_dependencies(arguments, file);
    if (isatty(2) != 0) arguments.push_back("-fdiagnostics-color=always");
    const std::string output = files_.file("preprocessed"), errors = files_.file("errors");
    status = execute(arguments, output, errors);
    const std::string messages = read_file(errors);
    std::fputs(messages.c_str(), stderr);
    if (status != 0) {
      explain_missing_header(messages);
      return std::nullopt;
    }
    return read_file(output);
  }

  /// -MD and the like: beside the object or program, whose rule they become.
  void append_dependencies(command& arguments, const std::string& file) const {
    const command& given = options_.dependency_options;
    if (given.empty()) return;
    arguments.insert(arguments.end(), given.begin(), given.end());
    const auto has = [&](const char* name) { return std::find(given.begin(), given.end(), name) != given.end(); };
    const std::string target = options_.only_objects ? object_of(file) : program();
    if (!has("-MT")) arguments.insert(arguments.end(), {"-MT", target});
    if (!has("-MF"))
      arguments.insert(arguments.end(), {"-MF", std::filesystem::path(target).replace_extension(".d").string()});
  }

  int compile_cuda(const std::string& file, const std::string& object) const {
    int status = 0;
    const std::optional<std::string> text = preprocess(file, status);
    if (!text) return status;
    const rewritten result = rewrite(*text, file, {compiler_, options_.relocatable});
    check_not_replaced(result.files);
    for (const std::string& note : result.notes) std::fprintf(stderr, "simtcc: note: %s\n", note.c_str());
    for (const problem& found : result.problems)
      std::fprintf(stderr, "%s:%d: %s: %s\n", found.file.c_str(), found.line, found.is_error ? "error" : "simtcc",
                   found.text.c_str());
    if (!result.problems.empty()) return 1;
    if (options_.only_rewrite) {
      if (options_.output.empty()) {
        write_stdout(result.text);
      } else {
        write_file(options_.output, result.text);
      }
      return 0;
    }
    const std::string source = files_.file("rewritten.ii");
    write_file(source, result.text);
    command arguments = base_command();
    append_words(arguments, EXACTDOT_KERNEL_OPTIONS, '|');
    append_words(arguments, compiler_ == host_compiler::clang ? EXACTDOT_CLANG_OPTIONS : EXACTDOT_GNU_OPTIONS, '|');
    arguments.insert(arguments.end(), {"-x", "c++-cpp-output", "-c", source, "-o", object});
    return execute(arguments);
  }

  /// The file with the program's defaults, which are options of simtcc.
  [[nodiscard]] std::string defaults_file() const {
    write_file(files_.file("defaults.cpp"), "extern \"C\" { const char* exactdot_simtcc_defaults = R\"simtcc(" +
                                                options_.defaults + ")simtcc\"; }\n");
    return files_.file("defaults.cpp");
  }

  /// With -c: sources that are no CUDA, as the host compiler takes them.
  [[nodiscard]] int compile_host_files() const {
    for (const std::string& file : options_.other_inputs) {
      if (const int status = compile_host(file, object_of(file)); status != 0) return status;
    }
    return 0;
  }
  [[nodiscard]] int compile_host(const std::string& file, const std::string& object) const {
    const std::string language(language_of(file, options_.language));
    command arguments = base_command();
    if (language == "c") std::erase_if(arguments, [](const std::string& word) { return word.starts_with("-std="); });
    append_headers(arguments);
    if (options_.only_objects) append_dependencies(arguments, file);
    arguments.insert(arguments.end(), {"-x", language, "-c", file, "-o", object});
    return execute(arguments);
  }

  int link(const command& objects) const {
    command inputs = options_.other_inputs;
    for (std::string& input : inputs) {
      if (language_of(input, options_.language).empty()) continue;
      const std::string object = files_.file("host" + std::to_string(&input - inputs.data()) + ".o");
      if (const int status = compile_host(input, object); status != 0) return status;
      input = object;
    }
    command arguments = base_command();
    append_headers(arguments);
    arguments.insert(arguments.end(), objects.begin(), objects.end());
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    if (!options_.defaults.empty()) arguments.push_back(defaults_file());
    arguments.insert(arguments.end(), {"-o", program(), "-Wl,--undefined=exactdot_simtcc_program",
                                       "-Wl,--undefined=exactdot_dynamic_shared,--wrap=quick_exit",
                                       package_.runtime, package_.simulator});
    append_words(arguments, package_.libraries);
    if (compiler_ == host_compiler::clang) arguments.push_back(EXACTDOT_CLANG_LINK_OPTIONS);
    arguments.insert(arguments.end(), options_.link_options.begin(), options_.link_options.end());
    return execute(arguments);
  }

  options options_;
  package package_;
  host_compiler compiler_ = host_compiler::gnu;
  temporary_folder files_;
};

}  // namespace
}  // namespace exactdot::simtcc

int main(int count, char** values) {
  using namespace exactdot::simtcc;
  if (count > 1 && std::string_view(values[1]) == "exercise")
    return exercises::run_command(std::filesystem::path(values[0]).filename(), {values + 2, values + count});
  return build(read_options({values + 1, values + count})).run();
}
