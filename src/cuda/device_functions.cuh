// What the levels of mode exact share on a GPU: the mask of a whole warp, and words of doubles.
#pragma once

#include <cstdint>
#include <exactdot/core/config.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The mask of collectives in which every lane of a warp takes part.
constexpr unsigned all_lanes = 0xffffffffU;

/// Sign, exponent and the upper 20 bits of the significand.
__device__ __forceinline__ unsigned high_word(double x) {
  return static_cast<unsigned>(core::bit_cast<std::uint64_t>(x) >> 32);
}

}  // namespace exactdot::inline v0_3::cuda_engine
