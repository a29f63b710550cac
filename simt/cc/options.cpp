// Options of simtcc, then those of nvcc (nvcc_options.hpp), then those that are the host compiler's.
//
// What is none of them is refused: a misspelt option is no file, and no option of the host compiler.
#include "options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "help.hpp"
#include "languages.hpp"
#include "nvcc_options.hpp"
#include "process.hpp"

namespace exactdot::simtcc {
namespace {

/// Libraries of NVIDIA: those whose functions are supplied, and those whose functions are refused where they are
/// used.
constexpr std::array<std::string_view, 8> supplied_libraries = {
    "cudart", "cudart_static", "cuda", "cudadevrt", "nvToolsExt", "culibos", "cublas", "cublas_static"};
constexpr std::string_view refused_libraries[] = {"cublas", "cufft", "curand", "cusparse",  "cusolver", "cudnn",
                                                  "nccl",   "nvrtc", "npp",    "nvidia-ml", "nvJitLink"};
/// What an option of the host compiler begins with.
constexpr std::string_view host_options[] = {"-W",     "-f", "-m", "-g",        "-d",     "-p", "-static", "-ansi",
                                             "-nostd", "-B", "-i", "-rdynamic", "-undef", "-H", "-s",      "-P"};
/// What -list-gpu-arch prints: compute capabilities that nvcc 13.0 compiles for.
constexpr const char* capabilities[] = {"75", "80",  "86",  "87",  "88",  "89",
                                        "90", "100", "103", "110", "120", "121"};

bool is_one_of(std::string_view text, const auto& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

/// As nvcc's shell splits the options of -Xcompiler: not within quotes, which stay.
std::vector<std::string> split_at_blanks(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  for (const char c : text + " ") {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
      continue;
    }
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    }
    word += c;
  }
  if (quote != 0) return {text};  // no pair of quotes
  return words;
}

class command_line {
 public:
  explicit command_line(const std::vector<std::string>& arguments) : arguments_(arguments) {
    result_.compiler = default_compiler();
  }

  options read() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string argument = arguments_[at_];  // a copy: -optf inserts more
      if (argument == "--") {
        while (++at_ < arguments_.size()) input(arguments_[at_]);
        break;
      }
      if (!argument.starts_with("-") || argument == "-") {
        input(argument);
      } else if (!own_option(argument) && !option_of_nvcc(argument)) {
        compiler_option(argument);
      }
    }
    if (result_.other_inputs.empty())
      fail("no input file; usage: simtcc FILE.cu... [-o PROGRAM]; simtcc --help names the options");
    find_cuda_files();
    if (!has_architecture_ && generated_ != 0) set_capability(generated_);
    return std::move(result_);
  }

 private:
  /// Sets value_ to the value of an option, from "name=value" or the next argument.
  void read_value(const std::string& argument) {
    const std::size_t equal = argument.find('=');
    if (equal != std::string::npos) {
      value_ = argument.substr(equal + 1);
      return;
    }
    if (++at_ == arguments_.size()) fail(argument + ": expected a value after it");
    value_ = arguments_[at_];
  }
  bool has_value(const std::string& argument, const std::string& name) {
    if (argument != name && !argument.starts_with(name + "=")) return false;
    read_value(argument);
    return true;
  }

  void note(const std::string& option, std::string_view text) {
    if (noted_.insert(option).second)
      std::fprintf(stderr, "simtcc: note: %s: ignored; %.*s\n", option.c_str(), static_cast<int>(text.size()),
                   text.data());
  }

  void set_default(const std::string& name) {
    const bool number = name == "seed" || name == "seeds" || name == "steps";
    if (number && (value_.empty() || value_.find_first_not_of("0123456789") != std::string::npos))
      fail("--" + name + " " + value_ + ": expected a number");
    if ((name == "seeds" || name == "steps") && value_.find_first_not_of('0') == std::string::npos)
      fail("--" + name + " " + value_ + ": expected a number above zero");
    errno = 0;
    const std::uint64_t largest = name == "seeds" ? 100000 : ~std::uint64_t{0};
    if (number && (std::strtoull(value_.c_str(), nullptr, 10) > largest || errno == ERANGE))
      fail("--" + name + " " + value_ + ": expected at most " + std::to_string(largest));
    if (name == "model" && value_ != "independent" && value_ != "lock_step")
      fail("--model " + value_ + ": expected independent or lock_step");
    if (name == "json") {
      if (value_.empty()) fail("--json: expected the name of a file");
      result_.report = value_;
    }
    if (name == "html") {
      if (value_.empty()) fail("--html: expected the name of a file");
      result_.page = value_;
    }
    const bool is_list = name.starts_with("html-");
    if (is_list && (value_.empty() || value_.find_first_not_of("0123456789,-") != std::string::npos))
      fail("--" + name + " " + value_ + ": expected a number or a list, such as 2 or 1,4 or 2-5");
    result_.defaults += name + "=" + value_ + "\n";
  }

  bool own_option(const std::string& argument) {
    for (const char* const name :
         {"seed", "seeds", "model", "json", "html", "html-launch", "html-blocks", "steps"}) {
      if (!has_value(argument, std::string("--") + name)) continue;
      set_default(name);
      return true;
    }
    if (argument == "--no-cuda-arch") {
      result_.define_architecture = false;
    } else if (argument == "--rewrite") {
      result_.only_rewrite = true;
    } else if (argument == "--profile") {
      result_.defaults += "profile=1\n";
    } else if (argument.starts_with("--profile=")) {
      fail(argument + ": expected --profile, which has no value");
    } else if (argument == "--show-commands") {
      result_.show_commands = true;
    } else if (has_value(argument, "--compiler")) {
      result_.compiler = value_;
    } else {
      return false;
    }
    return true;
  }

  bool option_of_nvcc(const std::string& argument) {
    const nvcc_option* const known = find_nvcc_option(argument);
    if (known == nullptr) return false;
    const auto& [long_name, short_name, has_value, effect, text] = *known;
    const bool is_flag = !has_value && argument.find('=') == std::string::npos;
    if (!has_value && !is_flag)
      fail(argument + ": expected " + argument.substr(0, argument.find('=')) + ", which has no value");
    if (argument == "-Werror") {  // of the host compiler too, where it has no value
      const bool has_kind = at_ + 1 < arguments_.size() && is_kind_of_warning(arguments_[at_ + 1]);
      if (!has_kind) return result_.compile_options.push_back(argument), true;
    }
    if (has_value) read_value(argument);
    switch (effect) {
      case nvcc_effect::ignored:
        break;
      case nvcc_effect::noted:
        note(argument.substr(0, argument.find('=')), text);
        break;
      case nvcc_effect::refused:
        fail(argument + ": " + std::string(text));
      case nvcc_effect::passed:
        if (!has_value || text.ends_with('=')) {
          result_.compile_options.push_back(std::string(text) + (has_value ? value_ : ""));
        } else {
          result_.compile_options.insert(result_.compile_options.end(), {std::string(text), value_});
        }
        break;
      case nvcc_effect::read:
        read_option(short_name, text);
    }
    return true;
  }

  static bool is_kind_of_warning(const std::string& list) {
    static constexpr std::array<std::string_view, 7> kinds = {
        "all-warnings",           "cross-execution-space-call", "reorder",
        "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
        "deprecated-declarations"};
    const std::vector<std::string> words = split(list, ',');
    return std::any_of(words.begin(), words.end(), [](const std::string& word) { return is_one_of(word, kinds); });
  }

  /// An option of nvcc by its short name; its value, if it has one, is in value_.
  void read_option(std::string_view name, std::string_view text) {
    if (name == "-o") {
      if (value_.empty()) fail("-o: expected the name of a file");
      result_.output = value_;
    } else if (name == "-c" || name == "-dc" || name == "-dw") {
      result_.only_objects = true;
      if (name == "-dc") result_.relocatable = true;
    } else if (name == "-rdc") {
      if (value_ != "true" && value_ != "false") fail("-rdc=" + value_ + ": expected true or false");
      result_.relocatable = value_ == "true";
    } else if (name == "-arch") {
      set_architecture();
    } else if (name == "-gencode") {
      for (const std::string& word : split(value_, ',')) {
        if (word.starts_with("arch=compute_")) generated_ = std::max(generated_, capability_of(word.substr(5)));
      }
    } else if (name == "-std") {
      set_standard(value_);
    } else if (name == "-x") {
      if (value_ != "cu" && value_ != "c++" && value_ != "c") fail("-x " + value_ + ": expected c, c++ or cu");
      result_.language = value_;
    } else if (name == "-ccbin") {
      result_.compiler = std::filesystem::is_directory(value_) ? value_ + "/g++" : value_;
    } else if (name == "-Xcompiler") {
      for (const std::string& words : split(value_, ','))
        for (const std::string& word : split_at_blanks(words)) compiler_option(word, true);
    } else if (name == "-Xlinker") {
      for (const std::string& word : split(value_, ','))
        result_.link_options.insert(result_.link_options.end(), {"-Xlinker", word});
    } else if (name == "-Werror") {
      if (value_.find("all-warnings") != std::string::npos) result_.compile_options.push_back("-Werror");
      if (value_.find("reorder") != std::string::npos) result_.compile_options.push_back("-Werror=reorder");
      if (!is_kind_of_warning(value_)) result_.compile_options.push_back("-Werror=" + value_);
    } else if (name == "-ftz" || name == "-prec-div" || name == "-prec-sqrt") {
      const bool is_exact = value_ == (name == "-ftz" ? "false" : "true");
      if (!is_exact) note(std::string(name) + "=" + value_, text);
    } else if (name == "-default-stream") {
      if (value_ == "per-thread") note("--default-stream=per-thread", text);
    } else if (name == "-m") {
      if (value_ != "64") fail("-m " + value_ + ": expected 64");
    } else if (name == "-odir") {
      result_.folder = value_;
    } else if (name == "-I" || name == "-isystem") {
      for (const std::string& folder : split(value_, ',')) include_folder(std::string(name), folder);
    } else if (name == "-L") {
      result_.link_options.push_back("-L" + value_);
    } else if (name == "-l") {
      for (const std::string& library : split(value_, ',')) link_library(library);
    } else if (name == "-MD" || name == "-MMD" || name == "-MP") {
      result_.dependency_options.push_back(std::string(name));
    } else if (name == "-MF" || name == "-MT") {
      result_.dependency_options.insert(result_.dependency_options.end(), {std::string(name), value_});
    } else if (name == "-optf") {
      insert_options();
    } else {
      read_flag(name);
    }
  }

  void read_flag(std::string_view name) {
    if (name == "-run") {
      result_.run_program = true;
    } else if (name == "-run-args") {
      result_.run_arguments = split(value_, ',');
    } else if (name == "-v" || name == "-dryrun") {
      result_.show_commands = true;
      if (name == "-dryrun") result_.run_commands = false;
    } else if (name.starts_with("-forward-unknown")) {
      forwards_unknown_ = true;
    } else if (name == "-h" || name == "-V") {
      std::fputs(name == "-V" ? "simtcc " EXACTDOT_VERSION
                                "\nsupplies the interface of CUDA 13.0, and takes nvcc's options\n"
                              : help,
                 stdout);
      std::exit(0);
    } else if (name == "-arch-ls" || name == "-code-ls") {
      for (const char* const capability : capabilities)
        std::printf("%s_%s\n", name == "-arch-ls" ? "compute" : "sm", capability);
      std::exit(0);
    }
  }

  /// Of a file of options, as of nvcc's -optf: words, in their place among the others.
  void insert_options() {
    for (const std::string& file : split(value_, ',')) {
      std::ifstream in(file);
      if (!in) fail("-optf " + file + ": cannot be read");
      const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
      arguments_.insert(arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words.begin(), words.end());
    }
  }

  /// Returns the compute capability of a name such as sm_90a, compute_80 or 75.
  unsigned capability_of(const std::string& name) {
    std::string digits = name.substr(std::min(name.find('_') + 1, name.size()));
    while (!digits.empty() && digits.back() >= 'a' && digits.back() <= 'f') digits.pop_back();
    const bool number =
        (digits.size() == 2 || digits.size() == 3) && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || digits[0] == '0') fail("-arch " + name + ": expected a compute capability, such as sm_90");
    return static_cast<unsigned>(std::stoul(digits));
  }
  void set_architecture() {
    has_architecture_ = true;
    if (value_ == "native" || value_ == "all" || value_ == "all-major") return;
    set_capability(capability_of(value_));
  }
  void set_capability(unsigned capability) {
    if (capability < oldest_modelled) {
      std::fprintf(stderr,
                   "simtcc: note: compute capability %u.%u is older than those modelled: __CUDA_ARCH__ is %u0, all "
                   "else is as "
                   "of 7.0; --model lock_step runs the lanes of a warp together, as GPUs before 7.0 do\n",
                   capability / 10, capability % 10, capability);
    }
    result_.architecture = capability;
    result_.defaults += "arch=" + std::to_string(capability) + "\n";
  }

  /// Older standards than C++17 are raised to it, which the headers need.
  void set_standard(const std::string& name) {
    static constexpr std::pair<std::string_view, std::string_view> later[] = {
        {"20", "20"}, {"2a", "20"}, {"23", "23"}, {"2b", "23"}, {"26", "26"}, {"2c", "26"}};
    result_.standard = "17";
    for (const auto& [end, standard] : later) {
      if (name.ends_with(end)) result_.standard = standard;
    }
  }

  void link_library(const std::string& name) {
    if (is_one_of(name, supplied_libraries)) return;
    for (const std::string_view refused : refused_libraries) {
      if (name.starts_with(refused))
        return note("-l" + name, "this library is not modelled; what uses it is refused where it does");
    }
    result_.link_options.push_back("-l" + name);
  }

  /// CUDA's own headers give way to those of simtcc.
  void include_folder(const std::string& option, const std::string& folder) {
    if (access((folder + "/cuda_runtime_api.h").c_str(), R_OK) == 0 &&
        folder.find("exactdot/simt") == std::string::npos)
      return note(option + " " + folder, "it holds CUDA's own headers; simtcc supplies its own");
    result_.compile_options.insert(result_.compile_options.end(), {option, folder});
  }

  /// What neither simtcc nor nvcc knows. `forwarded`: by -Xcompiler.
  void compiler_option(const std::string& argument, bool forwarded = false) {
    const std::string joined = argument.size() > 2 ? argument.substr(2) : "";
    if (argument.starts_with("-Wl,") || argument.starts_with("-L")) {
      result_.link_options.push_back(argument);
    } else if (argument.starts_with("-l")) {
      for (const std::string& library : split(joined, ',')) link_library(library);
    } else if (argument.starts_with("-O")) {
      return;  // kernels need -O1
    } else if (argument.starts_with("-I") && !joined.empty()) {
      include_folder("-I", joined);
    } else if (argument.starts_with("-D") || argument.starts_with("-U")) {
      result_.compile_options.push_back(argument);
    } else if (argument.starts_with("-t") && joined.find_first_not_of("0123456789") == std::string::npos) {
      return;  // nvcc's threads
    } else if (forwarded || forwards_unknown_ || is_of_host_compiler(argument)) {
      result_.compile_options.push_back(argument);
      if (argument == "-pthread" || argument == "-fopenmp" || argument == "-static" || argument == "-rdynamic")
        result_.link_options.push_back(argument);
      if (argument == "-iquote" || argument == "-idirafter") next_to(result_.compile_options);
    } else {
      const std::string_view similar = similar_option(argument);
      fail(argument + ": unknown option" + (similar.empty() ? "" : "; did you mean " + std::string(similar) + "?"));
    }
  }
  static bool is_of_host_compiler(const std::string& argument) {
    return !argument.starts_with("--") &&
           std::any_of(std::begin(host_options), std::end(host_options),
                       [&](std::string_view name) { return argument.starts_with(name); });
  }

  /// A name that begins with - is given to the compiler with its folder.
  void input(const std::string& name) {
    result_.other_inputs.push_back(name.starts_with("-") && name != "-" ? "./" + name : name);
  }

  /// Moves the CUDA files out of the inputs. The last -x says the language of all, as with nvcc.
  void find_cuda_files() {
    auto& inputs = result_.other_inputs;
    const auto others = std::stable_partition(inputs.begin(), inputs.end(), [&](const std::string& file) {
      return language_of(file, result_.language) == "cu";
    });
    result_.cuda_files.assign(inputs.begin(), others);
    inputs.erase(inputs.begin(), others);
  }

  void next_to(std::vector<std::string>& list) {
    if (++at_ == arguments_.size()) fail(arguments_.back() + ": expected a value after it");
    list.push_back(arguments_[at_]);
  }

  static constexpr unsigned oldest_modelled = 70;
  std::vector<std::string> arguments_;
  std::size_t at_ = 0;
  std::string value_;
  unsigned generated_ = 0;  // the highest compute capability of -gencode
  bool has_architecture_ = false, forwards_unknown_ = false;
  std::set<std::string> noted_;
  options result_;
};

}  // namespace

options read_options(const std::vector<std::string>& arguments) { return command_line(arguments).read(); }

void fail(const std::string& message) {
  std::fprintf(stderr, "simtcc: %s\n", message.c_str());
  std::exit(2);
}

}  // namespace exactdot::simtcc
