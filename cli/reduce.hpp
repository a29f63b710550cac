// exactdot dot: the dot product of two files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct dot_arguments {
  std::string a, b;
  std::string mode = "exact";
  std::string device = "auto";
  std::string result_type, raw_type;  // empty: not given
  int threads = 0;
  bool compare = false;
  bool json = false;
};

/// Computes the dot product and prints it. Throws exactdot::error.
void run_dot(const dot_arguments& arguments);

/// Returns the index of the GPU in "cuda" or "cuda:N"; nothing for any other text.
[[nodiscard]] std::optional<int> parse_cuda(std::string_view text);

}  // namespace exactdot::cli
