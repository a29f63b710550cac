// The subcommand minmax: the least and the greatest element of a file by one read of it.
#pragma once

#include <cli/file_filter.hpp>
#include <string>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct minmax_arguments {
  std::string file, raw_type;  // raw_type empty: not given
  filter_arguments filter;
  int threads = 0;
  bool json = false;
};

/// Prints both elements, one a line, or one JSON object. Throws exactdot::error.
void run_minmax(const minmax_arguments& arguments);

}  // namespace exactdot::cli
