// The subcommands dot, sum, nrm2, …: a reduction of files, by the library's list of reductions.
#pragma once

#include <cli/reduce_files.hpp>
#include <cstdint>
#include <exactdot/reduction.hpp>
#include <string>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct reduction_arguments {
  reduction what = reduction::dot;
  std::string a, b;  // b: of a reduction of two inputs
  std::string mode = "exact";
  std::string device = "auto";
  std::string result_type, raw_type, raw_type_of_b;  // empty: not given
  std::string axis, out;                             // the same
  int threads = 0;
  std::int64_t ddof = 0;
  filter_arguments filter;
  bool conjugate = false;
  bool compare = false;
  bool json = false;
};

/// Opens the files. Throws errc::file.
[[nodiscard]] operands open_files(const reduction_arguments& arguments, io::npy_shapes shapes);

/// Throws errc::file for complex numbers with options that are for real ones.
void check_numbers(const reduction_arguments& arguments, const operands& files);

/// Computes the reduction and prints it. Throws exactdot::error.
void run_reduction(const reduction_arguments& arguments);

}  // namespace exactdot::cli
