// The subcommand group: reductions of the elements in one file that have the same key in another one.
#pragma once

#include <cli/file_filter.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct group_arguments {
  std::string values, keys;
  std::string reduction = "sum";
  std::string result_type, raw_type, raw_type_of_keys, out;  // empty: not given
  std::optional<std::int64_t> ddof;
  std::string groups;  // empty: the greatest key plus 1
  filter_arguments filter;
  int threads = 0;
  bool skip = false;
  bool json = false;
};

/// Returns the reductions that groups have, and "count".
[[nodiscard]] std::vector<std::string> group_reductions();

/// Computes the results and prints them, one a line, as JSON, or writes them to a .npy file. Throws
/// exactdot::error.
void run_group(const group_arguments& arguments);

}  // namespace exactdot::cli
