// exactdot lab: the ladder of dot products, run, checked, measured and explained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// As they stand on the command line; the words are among those that the command line allows.
struct lab_arguments {
  std::string n;  ///< empty: one that suits the data and the device
  std::string data = "uniform";
  std::vector<std::string> rungs;      ///< none: all
  std::optional<std::string> explain;  ///< a rung to explain; nothing is run then
  std::string device = "auto";         ///< auto, cuda or simt
  std::string type = "float32";
  std::string op = "sum";
  std::string model;  ///< independent or lock_step; of simt only
  std::optional<int> runs;
  std::optional<double> condition;
  std::uint32_t seed = 42;
  unsigned block = 0, grid = 0;
  bool json = false;
};

/// Throws exactdot::error, and std::runtime_error when a rung breaks its promise.
void run_lab(const lab_arguments& arguments);

}  // namespace exactdot::cli
