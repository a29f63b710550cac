// exactdot bench: dot products side by side with other libraries, on the CPU or on a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// As they stand on the command line; the words are among those that the command line allows. What is empty is
/// chosen to suit the device.
struct bench_arguments {
  std::string device = "auto";  ///< auto, cpu or cuda
  std::vector<std::string> sizes;
  std::vector<std::string> types = {"float32", "float64"};
  std::vector<int> threads;                      ///< of the CPU only
  std::optional<std::vector<std::string>> data;  ///< hostile data sets; "none" for none
  std::optional<std::string> alignment;          ///< "64" or "vector"; of the CPU only
  std::string json;                              ///< a file; "-": standard output, instead of the table
  int rounds = 0;
  bool quick = false;
};

/// Throws exactdot::error, and std::runtime_error where this build has no benchmarks, or when a result on a GPU
/// does not have the CPU's bits.
void run_bench(const bench_arguments& arguments);

/// What --data takes, besides none.
[[nodiscard]] const std::vector<std::string>& bench_data_names();

}  // namespace exactdot::cli
