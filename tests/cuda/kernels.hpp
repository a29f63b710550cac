// Functions that launch the kernels of the CUDA engine in tests. kernels.cu implements them for the simulator and
// for a GPU.
//
// Inputs are host vectors. The argument `variant` selects the grid, the block size, the schedule, the alignment and
// the strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernels_under_test {

/// Empty, or the reason why no kernel can run.
[[nodiscard]] std::string unavailable_reason();

/// Whether the kernels run on the simulator.
[[nodiscard]] bool is_simulated();

/// Mode exact, rounded to R.
template <class R, class T>
[[nodiscard]] R exact(const T* a, const T* b, std::size_t n, unsigned variant);

/// Mode fast, converted to R.
template <class R, class T>
[[nodiscard]] R fast(const T* a, const T* b, std::size_t n, unsigned variant);

/// The words of an exact state after two launches that each add the dot of a and b.
template <class T>
[[nodiscard]] std::vector<std::int64_t> words_of_two_launches(const T* a, const T* b, std::size_t n,
                                                              unsigned variant);

/// The faults since the last call: findings of the simulator, results that differ, device state that is not reset.
[[nodiscard]] std::string take_faults();

}  // namespace kernels_under_test
