// The CPU quota of this process's control groups, as container runtimes and batch systems set it.
#pragma once

#include <string>

namespace exactdot::inline v0_3::engine {

/// How many processors the group of this process may keep busy: the least quota / period of the group and those
/// above it, of control groups version 1 and 2. Infinity without a quota, or where the files cannot be read.
/// `root`: "/", or a folder with a copy of the files, for tests.
[[nodiscard]] double cpu_quota(const std::string& root) noexcept;

}  // namespace exactdot::inline v0_3::engine
