// The command line of simtcc: its own options, those of nvcc that have a meaning here, and the host compiler's.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc {

struct options {
  std::vector<std::string> cuda_files, other_inputs;  // other inputs: C++ files, objects, libraries (-lname)
  std::vector<std::string> compile_options, link_options;
  std::string output;    // "" if -o is missing
  std::string report;    // the file of --json; "" for none
  std::string compiler;  // the host compiler
  std::string defaults;  // "name=value" lines for the program (settings.cpp)
  unsigned architecture = 90;
  bool define_architecture = true;  // define __CUDA_ARCH__
  bool only_objects = false, only_rewrite = false, show_commands = false;
};

/// Reads the arguments. An error is printed and ends simtcc with status 2; --help and --version end it with 0.
options read_options(const std::vector<std::string>& arguments);

[[noreturn]] void fail(const std::string& message);

}  // namespace exactdot::simtcc
