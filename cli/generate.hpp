// exactdot generate: data sets to try things on, as two .npy files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace exactdot::cli {

/// As they stand on the command line; words and length are among those that the command line allows.
struct generate_arguments {
  std::string a, b;
  std::string data = "uniform";
  std::string n;  // empty: one that suits the data
  std::string type = "float32";
  std::optional<double> condition;
  std::uint32_t seed = 42;
  bool json = false;
};

/// Both files appear together at the end, or neither does. Throws exactdot::error.
void run_generate(const generate_arguments& arguments);

}  // namespace exactdot::cli
