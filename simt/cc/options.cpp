// What simtcc does not know goes to the host compiler. Options of nvcc that only choose machine code are dropped.
#include "options.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace exactdot::simtcc {
namespace {

constexpr const char* help =
    R"(simtcc: compiles CUDA source files for the CPU. The program runs on a simulator of a GPU, prints what is
wrong with its kernels at its end, and exits with status 66 if that is anything.

usage: simtcc FILE.cu... [-o PROGRAM] [options]

  -o FILE            the program, or with -c the object; default: a.out
  -c                 compile only; simtcc links the objects too
  --seed N           first seed of the order in which threads run; default: 1
  --seeds K          run the program K times, with consecutive seeds; default: 1
  --model NAME       independent (Volta and later; default) or lock_step (before Volta)
  --json FILE        write the findings to FILE too
  --profile          count what each line costs: sectors, bank conflicts, active lanes, queues of atomics
  --steps N          maximum number of steps of a launch; default: 1000000000
  -arch sm_NN        compute capability, for __CUDA_ARCH__ and the limits of launches; default: sm_90
  --no-cuda-arch     do not define __CUDA_ARCH__
  --compiler NAME    host compiler, g++ or clang++; default: $SIMTCC_CXX, or the one that
                     built simtcc, or g++ or clang++
  --rewrite          print the rewritten source, or write it to -o FILE, instead of compiling it
  --show-commands    print the commands that run
  --help, --version

--seed, --seeds, --model, --json, --profile and --steps are defaults of the program: the environment variables
SIMTCC_SEED, SIMTCC_SEEDS, SIMTCC_MODEL, SIMTCC_JSON, SIMTCC_PROFILE=1 and SIMTCC_STEPS change them when it runs. Other
options go to the host compiler (-I, -D, -W, -g, -l, ...). Options of nvcc that choose machine code are accepted and
do nothing. Kernels are compiled as C++20 or later, with -O1. Names of files after -- may begin with -.
)";

/// Options of nvcc without effect here. Those that end in = or are followed by a value: both spellings.
constexpr std::array<std::string_view, 22> ignored = {"-lineinfo",
                                                      "--generate-line-info",
                                                      "-G",
                                                      "--device-debug",
                                                      "-use_fast_math",
                                                      "--use_fast_math",
                                                      "-rdc=true",
                                                      "-rdc=false",
                                                      "--relocatable-device-code=true",
                                                      "--expt-relaxed-constexpr",
                                                      "-expt-relaxed-constexpr",
                                                      "--expt-extended-lambda",
                                                      "-expt-extended-lambda",
                                                      "--extended-lambda",
                                                      "-extended-lambda",
                                                      "-lcudart",
                                                      "-lcudart_static",
                                                      "-lcuda",
                                                      "-lcudadevrt",
                                                      "-restrict",
                                                      "--restrict",
                                                      "-forward-unknown-to-host-compiler"};
constexpr std::array<std::string_view, 12> ignored_with_value = {
    "-gencode",      "--generate-code", "-code",   "--gpu-code", "-Xptxas",        "--ptxas-options",
    "-maxrregcount", "--maxrregcount",  "-cudart", "--cudart",   "-diag-suppress", "-Xcudafe"};
/// Libraries of NVIDIA whose functions are not modelled.
constexpr std::array<std::string_view, 9> libraries = {
    "-lcublas", "-lcublasLt", "-lcufft", "-lcurand", "-lcusparse", "-lcusolver", "-lcudnn", "-lnccl", "-lnvrtc"};

bool is_one_of(std::string_view text, const auto& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Whether a program of this name is here, or in a folder of PATH.
bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// The user's choice, else the compiler that built simtcc, else the usual ones.
std::string default_compiler() {
  const char* const chosen = std::getenv("SIMTCC_CXX");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  for (const char* name : {EXACTDOT_SIMTCC_COMPILER, "g++", "clang++"}) {
    if (is_program(name)) return name;
  }
  return EXACTDOT_SIMTCC_COMPILER;
}

class command_line {
 public:
  explicit command_line(const std::vector<std::string>& arguments) : arguments_(arguments) {
    result_.compiler = default_compiler();
  }

  options read() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument == "--") {
        while (++at_ < arguments_.size()) input(arguments_[at_]);
        break;
      }
      if (!own_option(argument) && !option_of_nvcc(argument)) compiler_option(argument);
    }
    if (result_.cuda_files.empty() && result_.other_inputs.empty())
      fail("no input file; usage: simtcc FILE.cu... [-o PROGRAM]; simtcc --help names the options");
    return std::move(result_);
  }

 private:
  /// Returns whether the argument is this option; then its value, from "name=value" or the next argument, is in
  /// value_.
  bool has_value(const std::string& argument, const std::string& name) {
    if (argument == name) {
      if (++at_ == arguments_.size()) fail(name + ": expected a value after it");
      value_ = arguments_[at_];
      return true;
    }
    if (!argument.starts_with(name + "=")) return false;
    value_ = argument.substr(name.size() + 1);
    return true;
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
    result_.defaults += name + "=" + value_ + "\n";
  }

  bool own_option(const std::string& argument) {
    for (const char* const name : {"seed", "seeds", "model", "json", "steps"}) {
      if (!has_value(argument, std::string("--") + name)) continue;
      set_default(name);
      return true;
    }
    if (argument == "--help" || argument == "-h" || argument == "--version") {
      std::fputs(argument == "--version" ? "simtcc " EXACTDOT_VERSION "\n" : help, stdout);
      std::exit(0);
    }
    if (argument == "-c" || argument == "-dc" || argument == "--compile" || argument == "--device-c") {
      result_.only_objects = true;
    } else if (argument == "--no-cuda-arch") {
      result_.define_architecture = false;
    } else if (argument == "--rewrite") {
      result_.only_rewrite = true;
    } else if (argument == "--profile") {
      result_.defaults += "profile=1\n";
    } else if (argument.starts_with("--profile=")) {
      fail(argument + ": expected --profile, which has no value");
    } else if (argument == "--show-commands") {
      result_.show_commands = true;
    } else if (has_value(argument, "-o") || has_value(argument, "--output-file")) {
      if (value_.empty()) fail("-o: expected the name of a file");
      result_.output = value_;
    } else if (has_value(argument, "--compiler") || has_value(argument, "-ccbin") ||
               has_value(argument, "--compiler-bindir")) {
      result_.compiler = value_;
    } else if (has_value(argument, "-arch") || has_value(argument, "--gpu-architecture")) {
      set_architecture();
    } else {
      return false;
    }
    return true;
  }

  void set_architecture() {
    if (value_ == "native" || value_ == "all" || value_ == "all-major") return;
    std::string digits = value_.substr(std::min(value_.find('_') + 1, value_.size()));
    while (!digits.empty() && digits.back() >= 'a' && digits.back() <= 'f') digits.pop_back();
    const bool number =
        (digits.size() == 2 || digits.size() == 3) && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoul(digits) < 50)
      fail("-arch " + value_ + ": expected a compute capability, such as sm_90");
    result_.architecture = static_cast<unsigned>(std::stoul(digits));
    result_.defaults += "arch=" + digits + "\n";
  }

  bool option_of_nvcc(const std::string& argument) {
    for (const std::string_view name : ignored_with_value) {
      if (has_value(argument, std::string(name))) return true;
    }
    if (has_value(argument, "-Xcompiler") || has_value(argument, "--compiler-options")) {
      for (std::size_t first = 0; first <= value_.size();) {
        const std::size_t end = std::min(value_.find(',', first), value_.size());
        if (end != first) compiler_option(value_.substr(first, end - first));
        first = end + 1;
      }
      return true;
    }
    if (is_one_of(argument, libraries)) fail(argument + ": this library is not modelled");
    return is_one_of(argument, ignored);
  }

  void compiler_option(const std::string& argument) {
    static constexpr std::array<std::string_view, 10> with_value = {"-I",      "-D",  "-U",  "-include", "-isystem",
                                                                    "-iquote", "-MF", "-MT", "-L",       "-x"};
    for (const char* const other : {"-E", "-S", "-M", "-MM", "--preprocess", "-ptx", "-cubin", "-fatbin"}) {
      if (argument == other)
        fail(argument +
             ": simtcc makes a program, or with -c an object; --rewrite shows the source that is compiled");
    }
    if (argument.starts_with("-l") || argument.starts_with("-Wl,") || argument.starts_with("-L")) {
      result_.link_options.push_back(argument);
      if (argument == "-L") next_to(result_.link_options);
    } else if (argument == "-x") {
      if (++at_ == arguments_.size()) fail("-x: expected a value after it");  // every .cu file is CUDA
    } else if (argument.starts_with("-O")) {
      return;  // kernels need -O1
    } else if (argument.starts_with("-std=") || argument.starts_with("--std=")) {
      set_standard(argument.substr(argument.find('=') + 1));
    } else if (argument.starts_with("-") && argument != "-") {
      result_.compile_options.push_back(argument);
      if (argument == "-pthread" || argument == "-fopenmp" || argument == "-static")
        result_.link_options.push_back(argument);
      if (is_one_of(argument, with_value)) next_to(result_.compile_options);
    } else {
      input(argument);
    }
  }

  /// A name that begins with - is given to the compiler with its folder.
  void input(const std::string& name) {
    auto& list = name.ends_with(".cu") ? result_.cuda_files : result_.other_inputs;
    list.push_back(name.starts_with("-") && name != "-" ? "./" + name : name);
  }

  void next_to(std::vector<std::string>& list) {
    if (++at_ == arguments_.size()) fail(arguments_.back() + ": expected a value after it");
    list.push_back(arguments_[at_]);
  }

  /// The simulator's headers need C++20; older standards are raised to it.
  void set_standard(const std::string& name) {
    const bool newer = name.ends_with("23") || name.ends_with("2b") || name.ends_with("26") || name.ends_with("2c");
    if (newer) result_.compile_options.push_back("-std=" + name);
  }

  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  std::string value_;
  options result_;
};

}  // namespace

options read_options(const std::vector<std::string>& arguments) { return command_line(arguments).read(); }

void fail(const std::string& message) {
  std::fprintf(stderr, "simtcc: %s\n", message.c_str());
  std::exit(2);
}

}  // namespace exactdot::simtcc
