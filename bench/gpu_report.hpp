// Report of the GPU benchmark: printed tables, and JSON from which scripts/performance writes the documents.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gpu.hpp"

namespace bench {

/// Prints one table; all measurements are of one type and length.
void print(const std::vector<gpu_measurement>& measurements);

/// Returns the report, with a description of the GPU and of its host; of a reduction other than dot also its name,
/// as "reduction".
nlohmann::ordered_json as_json(reduction what, const gpu_facts& facts,
                               const std::vector<gpu_measurement>& measurements);

}  // namespace bench
