// Functions that launch the kernels of the CUDA engine in tests. kernels.cu implements them for the simulator and
// for a GPU.
//
// Inputs are views of host memory; they are copied to device memory with their strides. The variant of a call
// selects the grid, the block size, the schedule and the alignment.
#pragma once

#include <optional>

#include "table/engines.hpp"

namespace kernels_under_test {

/// Empty, or the reason why no kernel can run.
[[nodiscard]] std::string unavailable_reason();

/// Whether the kernels run on the simulator.
[[nodiscard]] bool is_simulated();

/// The result of two equal sequences of launches. Nothing if an integer type does not hold it.
[[nodiscard]] std::optional<exactdot::any_scalar> run(const table::call& asked);

/// The words of an exact state after two launches that each add the terms.
[[nodiscard]] std::vector<std::int64_t> words_of_two_launches(const table::call& asked);

/// The faults since the last call: findings of the simulator, results that differ, device state that is not reset.
[[nodiscard]] std::string take_faults();

}  // namespace kernels_under_test
