// Wrong kernels as unregistered rungs of the simulator; see wrong_kernels.cu and wrong_sums.cu.
#pragma once

#include <lab/registry.hpp>
#include <vector>

namespace lab_test {

/// Returns the rung of that name; throws std::out_of_range if there is none.
[[nodiscard]] exactdot::lab::rung wrong_kernel(std::string_view name);

/// The same, of the workloads rows and groups.
[[nodiscard]] exactdot::lab::rung wrong_sums(std::string_view name);

}  // namespace lab_test
