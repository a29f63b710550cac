// Ladder: runs the requested rungs of a workload on one device and the same data, together with the baselines of
// the report.
#pragma once

#include <exactdot/element.hpp>
#include <functional>
#include <io/data_source.hpp>
#include <lab/harness.hpp>
#include <lab/ramp.hpp>
#include <string>
#include <vector>

namespace exactdot::lab {

/// What to run: device, workload, data, rungs.
struct ladder_request {
  backend target = backend::simt;
  std::string workload = "dot";
  executor_settings settings;
  io::data_request data;
  division parts;  ///< of the data
  element_type type = element_type::float32;
  std::vector<std::string> rungs;  ///< names; empty: all rungs that support the operation
  run_options options;
  std::size_t memory_limit = 0;                              ///< bytes of host memory that may be used
  std::function<void(const std::string&)> on_progress = {};  ///< called before each rung with its name
};

/// What the reports print.
struct ladder_result {
  std::string device;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string workload = "dot", terms = "products";  ///< its name, and what its operation combines
  std::string divided;                               ///< how its elements are divided; "": not at all
  bool reads_b = true, has_keys = false;             ///< what its rungs read
  std::size_t results = 1;
  io::data_set data = io::data_set::uniform;
  std::size_t n = 0;
  element_type type = element_type::float32;
  operation op = operation::sum;
  double exact = 0;  ///< the first reference: the exact sum, rounded once, or the result of another operation
  std::vector<measurement> measurements;
  // Baselines in seconds, on devices with a clock: reading what the rungs read, rung atomic_per_element, rung
  // cublas.
  std::optional<double> read_seconds, naive_seconds, cublas_seconds;
  std::vector<ramp_result> ramp;     ///< for data ramp only
  std::vector<std::string> skipped;  ///< rungs not named by the user whose library is missing, with the reason
};

/// Runs the ladder.
///
/// Throws errc::bad_option for an unknown workload or rung, or for an operation, block or grid that a named rung
/// does not support; errc::no_device for a missing device, or a named rung whose library is missing;
/// errc::cancelled; std::runtime_error for vectors that do not fit in memory.
[[nodiscard]] ladder_result run_ladder(const ladder_request& request);

/// Returns the rungs of a request in ladder order.
[[nodiscard]] std::vector<rung> choose_rungs(const ladder_request& request);

/// Throws std::runtime_error if vectors of n elements do not fit in host or device memory.
void require_memory(const ladder_request& request, const executor& device, std::size_t n);

}  // namespace exactdot::lab
