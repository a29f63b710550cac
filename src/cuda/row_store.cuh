// Rows of warps: the size of a block, and how a sum that one warp has rounded is stored.
#pragma once

#include <cuda/round_limbs.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr int rows_per_block = 4;  // warps

/// Stores result i, of 2, 4 or 8 bytes; NaN, and the problem in the status word, if there is one. By one lane.
__device__ __forceinline__ void store_row_result(const destination& to, int bytes, std::size_t i,
                                                 const rounded_sum& found) {
  std::uint64_t bits = found.word;
  if (found.problem != no_problem) {
    atomicMax(to.status, static_cast<unsigned>(found.problem));
    bits = core::nan_word(to.rule.format());
  }
  if (bytes == 8) {
    static_cast<std::uint64_t*>(to.value)[i] = bits;
  } else if (bytes == 4) {
    static_cast<unsigned*>(to.value)[i] = static_cast<unsigned>(bits);
  } else {
    static_cast<std::uint16_t*>(to.value)[i] = static_cast<std::uint16_t>(bits);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
