// What the search for an extreme element keeps on the device (extremum_grid.cuh).
#pragma once

#include <core/config.hpp>
#include <cstddef>
#include <cuda/device_state.hpp>

namespace exactdot::cuda_engine {

/// An element's rank (extremum_rank.hpp) and index. Trivial, as variables in shared memory have to be.
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

/// Stored and loaded at once, so that data whose flag has come have come.
struct alignas(16) extremum_message {
  std::uint64_t data;
  unsigned word;
  unsigned flag;  ///< the launch
};

inline constexpr unsigned max_extremum_blocks = 1024;

/// Zero before the first launch.
struct extremum_state {
  alignas(128) wide_unsigned tickets;      ///< of exchange.cuh
  extremum_candidate<std::uint64_t> best;  ///< of a launch without a destination
  alignas(128) extremum_message first[max_extremum_blocks];
  alignas(128) extremum_message second[max_extremum_blocks];
};

}  // namespace exactdot::cuda_engine
