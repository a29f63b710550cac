// What kernels share: the mask of a whole warp, words of doubles, notes.
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

/// Notes the lowest of some numbers: the status is the complement of it, which never decreases.
__device__ __forceinline__ void note_lowest(unsigned long long* status, std::uint64_t number) {
  atomicMax(status, ~static_cast<unsigned long long>(number));
}

}  // namespace exactdot::inline v0_3::cuda_engine
