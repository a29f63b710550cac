// Delivers a grid's sum to its destination: rounded, or added to the words of an exact state.
//
// By the lanes of the first warp of the last block. After the first pass both may be impossible: a rounding that is
// undecided, a sum that is incomplete.
#pragma once

#include <cuda/round_digits.cuh>
#include <cuda/second_pass.cuh>

namespace exactdot::cuda_engine {
namespace {

/// log2 of the number of warps in the grid, rounded up.
__device__ inline unsigned log2_of_warps() {
  const unsigned warps = gridDim.x * ((blockDim.x + 31) / 32);
  return warps == 1 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(warps - 1)));
}

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

/// words += the sum, as one more state.
template <class Carrier>
[[gnu::noinline]] __device__ void add_to_words(std::int64_t* words, const superaccumulator<Carrier>& sum,
                                               unsigned* carried) {
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  const int lane = static_cast<int>(threadIdx.x % 32);
  wide_int carry = 0;
  if (lane == 0) {
    for (int i = 0; i < digit_layout<Carrier>::count; ++i) {
      carry += sum.digit[i];
      carried[i] = static_cast<unsigned>(carry) & digit_mask;
      carry >>= digit_bits;
    }
    ++words[layout.states()];
  }
  const bool negative = __shfl_sync(all_lanes, static_cast<int>(carry < 0), 0) != 0;
  __syncwarp();
  for (int i = lane; i < layout.limbs; i += 32) {
    std::uint64_t limb = bits_at<Carrier>(carried, 32 * i, negative);
    if (i == layout.limbs - 1) limb |= bits_at<Carrier>(carried, 32 * i + 32, negative) << 32;
    words[i] += static_cast<std::int64_t>(limb);
  }
}

template <class Carrier>
[[gnu::noinline]] __device__ bool finish_lanes_in_words(std::int64_t* words, lane_digits sum,
                                                        superaccumulator<Carrier>& storage, unsigned* carried) {
  if (sum.log2_error != 0) return false;
  storage.clear_digits(threadIdx.x % 32, 32);
  __syncwarp();
  storage.add(sum);
  __syncwarp();
  add_to_words(words, storage, carried);
  return true;
}

/// After the first pass. Returns false, and delivers nothing, if the result is not certain.
template <class Carrier>
__device__ __forceinline__ bool finish_lanes(const destination& to, const lane_digits& sum,
                                             superaccumulator<Carrier>& storage, unsigned* carried) {
  if (to.words != nullptr) return finish_lanes_in_words(to.words, sum, storage, carried);
  const unsigned log2_error = sum.log2_error == 0 ? 0 : sum.log2_error + log2_of_warps();
  const core::decision found = round_sum<Carrier>(to.rule, sum.digit, sum.first, log2_error);
  if (found.certain && threadIdx.x % 32 == 0) store_result<Carrier>(to, found.word);
  return found.certain;
}

/// After the second pass.
template <class Carrier>
[[gnu::noinline]] __device__ void finish_digits(const destination& to, const superaccumulator<Carrier>& sum,
                                                unsigned* carried) {
  if (to.words != nullptr) return add_to_words(to.words, sum, carried);
  const std::uint64_t word = round_digits<Carrier>(to.rule.format(), sum.digit, carried);
  if (threadIdx.x % 32 == 0) store_anywhere(to, word);
}

/// For terms some of which are infinite or NaN.
template <class Carrier>
[[gnu::noinline]] __device__ void finish_special(const destination& to, const superaccumulator<Carrier>& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (to.words == nullptr) {
    const std::uint64_t word =
        core::special_word(to.rule.format(), sum.special[0] != 0, sum.special[1] != 0, sum.special[2] != 0);
    if (lane == 0) store_anywhere(to, word);
    return;
  }
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  if (lane < 3) {
    const std::int64_t count = to.words[layout.nans() + lane] + static_cast<std::int64_t>(sum.special[lane]);
    to.words[layout.nans() + lane] = min(count, core::state_layout::max_count);
  }
  if (lane == 0) ++to.words[layout.states()];
}

}  // namespace
}  // namespace exactdot::cuda_engine
