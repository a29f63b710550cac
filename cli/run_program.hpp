// exactdot run: a program with the reductions of its BLAS calls by exactdot.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

struct run_arguments {
  std::optional<std::string> mode;  ///< without it EXACTDOT_BLAS_MODE decides, and so on
  std::optional<int> threads;
  bool gemv = false;                 ///< matrices times vectors, too
  std::string report;                ///< 1: on stderr; another word: into that file
  std::vector<std::string> program;  ///< with its arguments
};

/// Replaces this process by the program, with libexactdot_blas loaded before its libraries. Throws errc::file if
/// the library or the program is not found or the program cannot be given a library; warns of a static one.
[[noreturn]] void run_program(const run_arguments& arguments);

}  // namespace exactdot::cli
