// The ladder, climbed: every rung asked for, on one device and one pair of vectors, with what it is compared to.
#pragma once

#include <functional>
#include <io/data_source.hpp>
#include <io/dtype.hpp>
#include <lab/harness.hpp>
#include <lab/ramp.hpp>
#include <string>
#include <vector>

namespace exactdot::lab {

struct ladder_request {
  world where = world::simt;
  bench_settings settings;
  io::data_request data;
  io::dtype type = io::dtype::float32;
  std::vector<std::string> rungs;  ///< by name; none: all that take the operation
  conditions how;
  std::size_t memory = 0;                            ///< bytes that the host may give
  std::function<void(const std::string&)> say = {};  ///< called before each rung with its name
};

struct ladder_result {
  std::string device;
  std::vector<std::pair<std::string, std::string>> facts;
  io::data_set data = io::data_set::uniform;
  std::size_t n = 0;
  io::dtype type = io::dtype::float32;
  operation op = operation::sum;
  double exact = 0;  ///< what is right: the exact sum rounded once, or the operation's one result
  std::vector<row> rows;
  // seconds of what rungs are compared to, where there is a clock
  std::optional<double> ceiling, naive, cublas;
  std::vector<ramp_truth> ramp;       ///< of data ramp only
  std::vector<std::string> left_out;  ///< rungs nobody named whose library is missing: each why
};

/// Throws errc::bad_option for an unknown rung (and names the known ones), a rung that cannot do what was asked, or
/// a block or grid that it cannot use; errc::no_device, also where a rung was named whose library is missing;
/// errc::cancelled; std::runtime_error for vectors that do not fit.
[[nodiscard]] ladder_result climb(const ladder_request& request);

/// The rungs of a request, in the ladder's order.
[[nodiscard]] std::vector<rung> choose_rungs(const ladder_request& request);

/// Throws std::runtime_error when the vectors do not fit the host or the device.
void require_memory(const ladder_request& request, const bench& on, std::size_t n);

}  // namespace exactdot::lab
