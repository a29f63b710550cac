// Delivers a grid's sum to its destination: rounded, or added to the words of an exact state.
//
// By the lanes of the first warp of the last block, after the second level.
#pragma once

#include <cuda/second_level.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Bits first … first + 31 of carried digits in two's complement.
template <class Carrier>
__device__ inline std::uint64_t bits_at(const unsigned* digit, int first, bool negative) {
  const auto at = [&](int i) -> std::uint64_t {
    return i < digit_layout<Carrier>::count ? digit[i] : negative ? digit_mask : 0;
  };
  const int i = first / digit_bits;
  const std::uint64_t found = at(i) | at(i + 1) << digit_bits | (at(i + 2) & 0xffff) << (2 * digit_bits);
  return found >> first % digit_bits & 0xffffffff;
}

/// Delivers the sum of finite or other terms, or returns false as finish_digits. By the lanes of one warp.
template <class Carrier>
__device__ __forceinline__ bool finish_sum(const destination& to, superaccumulator<Carrier>& sum, unsigned* carried,
                                           std::int64_t* words) {
  if ((sum.special[0] | sum.special[1] | sum.special[2]) == 0) return finish_digits(to, sum, carried, words);
  finish_special(to, sum);
  return true;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
