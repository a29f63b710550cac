// The command line of simtcc: its own options, those of nvcc that have a meaning here, and the host compiler's.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc {

struct options {
  std::vector<std::string> cuda_files, other_inputs;  // other inputs: C and C++ files, objects, libraries
  std::vector<std::string> compile_options, link_options;
  std::vector<std::string> dependency_options;  // -MD, -MMD, -MF, -MT, -MP
  std::vector<std::string> run_arguments;       // of the program, with -run
  std::string output;                           // "" if -o is missing
  std::string folder;                           // of objects, from -odir; "" for the current one
  std::string language;                         // of all sources, from -x: c, c++ or cu; "" by their names
  std::string standard = "17";                  // of the user's C++
  std::string page;                             // the file of --html; "" for none
  std::string report;                           // the file of --json; "" for none
  std::string compiler;                         // the host compiler
  std::string defaults;                         // "name=value" lines for the program (settings.cpp)
  unsigned architecture = 90;
  bool define_architecture = true;  // define __CUDA_ARCH__
  bool relocatable = false;         // -rdc=true: variables of the device belong to the program, not to a file
  bool only_objects = false, only_rewrite = false, show_commands = false, run_commands = true, run_program = false;
};

/// Reads the arguments. An error is printed and ends simtcc with status 2; --help and --version end it with 0.
options read_options(const std::vector<std::string>& arguments);

[[noreturn]] void fail(const std::string& message);

}  // namespace exactdot::simtcc
