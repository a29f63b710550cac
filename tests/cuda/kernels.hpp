// The CUDA engine's kernels, as a test calls them: one implementation in kernels.cu, compiled for the simulator and
// for a GPU. Host vectors in, results out; grid, block, schedule and alignment vary with a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernels_under_test {

/// Empty, or why nothing can run here.
[[nodiscard]] std::string missing();

/// Whether this is the simulator.
[[nodiscard]] bool simulated();

/// Mode exact, rounded to R.
template <class R, class T>
[[nodiscard]] R exact(const T* a, const T* b, std::size_t n, unsigned variant);

/// Mode fast, converted to R.
template <class R, class T>
[[nodiscard]] R fast(const T* a, const T* b, std::size_t n, unsigned variant);

/// The words of an exact state, after adding a·b twice from two launches.
template <class T>
[[nodiscard]] std::vector<std::int64_t> twice_into_words(const T* a, const T* b, std::size_t n, unsigned variant);

/// What the simulator found since the last call.
[[nodiscard]] std::string faults();

}  // namespace kernels_under_test
