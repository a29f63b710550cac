// exactdot bench: measures a reduction of exactdot and of other libraries, on the CPU or on a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values. Empty ones have a default that depends on the device.
struct bench_arguments {
  std::string device = "auto";    ///< auto, cpu or cuda
  std::string reduction = "dot";  ///< a name of exactdot::reduction_names
  std::vector<std::string> sizes;
  std::vector<std::string> types = {"float32", "float64"};
  std::vector<int> threads;                      ///< CPU only
  std::optional<std::vector<std::string>> data;  ///< hostile data sets; "none": none
  std::optional<std::string> alignment;          ///< "64" or "vector"; CPU only
  std::string json;                              ///< file name; "-": standard output instead of the table
  int rounds = 0;
  bool quick = false;
};

/// Runs the benchmark and prints or writes its report. Throws exactdot::error; throws std::runtime_error if this
/// build has no benchmarks, or if the bits of a GPU's result differ from those of the CPU.
void run_bench(const bench_arguments& arguments);

/// Returns the values of --data other than none.
[[nodiscard]] const std::vector<std::string>& bench_data_names();

}  // namespace exactdot::cli
