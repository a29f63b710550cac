// exactdot generate: writes the two vectors of a data set to .npy files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct generate_arguments {
  std::string a, b;
  std::string data = "uniform";
  std::string n;  // empty: a default for the data set
  std::string type = "float32";
  std::optional<double> condition;
  std::uint32_t seed = 42;
  bool json = false;
};

/// Writes the files, which appear only after both are complete. Throws exactdot::error.
void run_generate(const generate_arguments& arguments);

}  // namespace exactdot::cli
