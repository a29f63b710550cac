// Size of the memory that can be allocated without swapping.
#pragma once

#include <cstddef>

namespace exactdot::cli {

/// Returns MemAvailable of /proc/meminfo in bytes, or the size of the free pages if that cannot be read.
[[nodiscard]] std::size_t available_memory();

}  // namespace exactdot::cli
