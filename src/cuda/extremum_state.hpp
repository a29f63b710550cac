// What the search for an extreme element keeps on the device (extremum_kernel.cuh).
#pragma once

#include <core/config.hpp>
#include <cstdint>

namespace exactdot::cuda_engine {

/// The extreme element of a launch and its index; no key is less than that of a NaN, 0. Trivial, as variables in
/// shared memory have to be.
struct extremum_candidate {
  std::uint64_t key, index;
};
/// That of no elements.
EXACTDOT_CORE extremum_candidate no_candidate() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }

inline constexpr unsigned max_extremum_blocks = 1024;

/// Zero counters before the first launch.
struct extremum_state {
  unsigned finished;  ///< blocks that have stored their candidate; zero between launches
  extremum_candidate best;
  extremum_candidate candidate[max_extremum_blocks];
};

}  // namespace exactdot::cuda_engine
