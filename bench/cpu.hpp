// Dot products side by side with other libraries, on this machine's CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

struct cpu_request {
  std::vector<std::size_t> sizes;
  std::vector<std::string> types;    ///< float32, float64
  std::vector<std::string> hostile;  ///< data sets, for exact alone
  std::vector<int> threads;
  bench::alignment alignment = bench::alignment::cache_line;
  effort how;
  bool prints = true;                                ///< the table, as it goes
  std::function<void(const std::string&)> say = {};  ///< what is being done
};

/// What it returns has the rows, and who was measured on what.
nlohmann::ordered_json measure_cpu(const cpu_request& request);

}  // namespace bench
