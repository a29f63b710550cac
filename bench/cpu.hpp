// Benchmark of a reduction beside other libraries on the CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

struct cpu_request {
  reduction what = reduction::dot;
  std::vector<std::size_t> sizes;
  std::vector<std::string> types;    ///< float32, float64
  std::vector<std::string> hostile;  ///< hostile data sets; only exact is timed on them
  std::vector<int> threads;
  bench::alignment alignment = bench::alignment::cache_line;
  bench::sampling sampling;
  bool print_table = true;                                   ///< print each part of the table when it is measured
  std::function<void(const std::string&)> on_progress = {};  ///< called with the current type, length and threads
};

/// Measures all peers. The JSON has the measurements, the peers and a description of the machine; of a reduction
/// other than dot also its name, as "reduction".
nlohmann::ordered_json measure_cpu(const cpu_request& request);

}  // namespace bench
