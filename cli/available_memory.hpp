// How much memory can be had without pushing anything out.
#pragma once

#include <cstddef>

namespace exactdot::cli {

/// Bytes; MemAvailable of /proc/meminfo, or the free pages where that cannot be read.
[[nodiscard]] std::size_t available_memory();

}  // namespace exactdot::cli
