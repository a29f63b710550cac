// Kernels that are wrong, as rungs of the simulator that are not enlisted; see wrong_kernels.cu.
#pragma once

#include <lab/registry.hpp>
#include <vector>

namespace lab_test {

/// The rung of that name; throws std::out_of_range where there is none.
[[nodiscard]] exactdot::lab::rung wrong_kernel(std::string_view name);

}  // namespace lab_test
