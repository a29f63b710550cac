// What a GPU is, for the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Throws exactdot::error, errc::no_device, where there is none.
void require_gpu();

/// Model, multiprocessors, cache, memory, driver, toolkit.
std::vector<std::pair<std::string, std::string>> describe_gpu();

}  // namespace bench
