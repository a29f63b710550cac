// Description of the GPU, for the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Throws exactdot::error with errc::no_device if no GPU can be used.
void require_gpu();

/// Returns model, multiprocessors, cache, memory, driver and toolkit.
std::vector<std::pair<std::string, std::string>> describe_gpu();

}  // namespace bench
