// What the search for an extreme element keeps on the device (work/extremum_grid.cuh).
#pragma once

#include <cstddef>
#include <cuda/core/device_state.hpp>
#include <exactdot/core/config.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// An element's rank (work/extremum_rank.hpp) and index. Trivial, as variables in shared memory have to be.
template <class Rank>
struct extremum_candidate {
  Rank rank;
  std::uint64_t index;
};
/// That of no elements: every candidate is better.
template <class Rank>
EXACTDOT_CORE extremum_candidate<Rank> no_candidate() {
  return {0, ~std::uint64_t{0}};
}

/// Stored and loaded by one instruction: a load that returns the flag returns the data.
struct alignas(16) extremum_message {
  std::uint64_t data;
  unsigned word;
  unsigned flag;  ///< the launch
};

inline constexpr unsigned max_extremum_blocks = 1024;

/// Zero before the first launch.
struct extremum_state {
  alignas(cache_line) wide_unsigned tickets;  ///< of exchange.cuh
  extremum_candidate<std::uint64_t> best;     ///< of a launch without a destination
  alignas(cache_line) extremum_message first[max_extremum_blocks];
  alignas(cache_line) extremum_message second[max_extremum_blocks];
};

}  // namespace exactdot::inline v0_3::cuda_engine
