// The subcommands cumsum and rolling: prefix sums and moving windows of a vector, or along an axis of an array.
#pragma once

#include <cli/file_filter.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct window_arguments {
  bool are_prefixes = false;  // cumsum
  std::string file;
  std::string reduction = "sum";
  std::string window, min_periods;         // of rolling; min_periods empty: the window
  std::string result_type, raw_type, out;  // empty: not given
  std::optional<int> axis;
  std::int64_t ddof = 0;
  bool skip_nan = false;
  bool json = false;
};

/// Computes the results and prints them, one a line in C order, as JSON, or writes them to a .npy file. Throws
/// exactdot::error.
void run_windows(const window_arguments& arguments);

}  // namespace exactdot::cli
