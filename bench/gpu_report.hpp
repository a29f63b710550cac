// The GPU's rows on the screen and as JSON, from which scripts/performance writes the documents.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gpu.hpp"

namespace bench {

/// One table a call: all rows are of one type and length.
void print(const std::vector<gpu_row>& rows);

/// The machine's facts, and what the CPU beside it is.
nlohmann::ordered_json as_json(const gpu_facts& facts, const std::vector<gpu_row>& rows);

}  // namespace bench
