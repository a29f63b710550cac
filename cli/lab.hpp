// exactdot lab: runs, checks, measures and explains the rungs of the lab.
#pragma once

#include <cstdint>
#include <exactdot/element.hpp>
#include <io/data_source.hpp>
#include <lab/registry.hpp>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Arguments of the command line, with allowed values.
struct lab_arguments {
  std::string n;                       ///< empty: a default for the data and the device
  std::string workload;                ///< empty: that of the named rungs, else dot; with `list`: all
  std::string row_length;              ///< empty: the default; workload rows only
  std::optional<unsigned> groups;      ///< workload groups only
  std::string data;                    ///< empty: uniform, on a page ones
  std::vector<std::string> names;      ///< of rungs, without an option
  std::vector<std::string> rungs;      ///< given by --rung; both empty: all
  std::optional<std::string> explain;  ///< explain this rung, or if empty the one of `names`; run none
  std::string device = "auto";         ///< auto, cuda or simt
  std::string type = "float32";
  std::string op = "sum";
  std::string model;  ///< independent or lock_step; simt only
  std::optional<int> runs;
  std::optional<double> condition;
  std::uint32_t seed = 42;
  unsigned block = 0, grid = 0;
  std::vector<unsigned> schedule;  ///< of a page
  std::string html;                ///< file of the page to write instead of a report; "": none
  bool json = false;
  bool list = false;  ///< print the rungs instead of running any
};

/// The vectors and the operation of a run.
struct lab_problem {
  io::data_request data;
  element_type type = element_type::float32;
  lab::operation op = lab::operation::sum;
};

/// Returns what the arguments say of the vectors and the operation; for the report and for the page. The length is
/// that of --n, else 0. `usual_data`: the data set without --data. Throws errc::bad_option for --cond without
/// --data ill.
[[nodiscard]] lab_problem problem_of(const lab_arguments& arguments, const std::string& usual_data);

/// Runs the lab and prints its report. Throws exactdot::error; throws std::runtime_error if a rung breaks a promise
/// or the vectors do not fit in memory.
void run_lab(const lab_arguments& arguments);

}  // namespace exactdot::cli
