// Delivers a grid's sum to its destination: rounded, or added to the words of an exact state.
//
// By the lanes of the first warp of the last block, after the second level.
#pragma once

#include <cuda/round_digits.cuh>
#include <cuda/superaccumulator.cuh>

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
  __syncwarp();  // as add_share
}

/// A result that is not a rounded sum, from the words of the state, by one thread.
[[gnu::noinline]] __device__ core::outcome outcome_of_words(const destination& to, const core::state_layout& layout,
                                                            std::int64_t* words) {
  core::normalise(layout, words);
  return core::finish_state(to.rule, layout, words, to.count);
}

/// The result of all digits, in lane 0. By the lanes of one warp. `words`: for a state, in shared memory.
template <class Carrier>
[[gnu::noinline]] __device__ core::outcome outcome_of_digits(const destination& to,
                                                             const superaccumulator<Carrier>& sum,
                                                             unsigned* carried, std::int64_t* words) {
  const unsigned lane = threadIdx.x % 32;
  if (to.rule.finish() == core::finish::round && !to.rule.is_integer()) {
    return {round_digits<Carrier>(to.rule.format(), sum.digit, carried)};
  }
  constexpr core::state_layout layout = core::layout_of<Carrier>();
  for (unsigned i = lane; i < layout.words(); i += 32) words[i] = 0;
  __syncwarp();
  add_to_words(words, sum, carried);
  __syncwarp();
  core::outcome found{0};
  if (lane == 0) found = outcome_of_words(to, layout, words);
  __syncwarp();
  return found;
}

/// log2 of the number of warps in the grid, rounded up.
__device__ inline unsigned log2_of_warps() {
  const unsigned warps = gridDim.x * ((blockDim.x + 31) / 32);
  return warps == 1 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(warps - 1)));
}

/// Delivers the sum, or returns false if what is missing leaves the result open. By the lanes of one warp.
template <class Carrier>
[[gnu::noinline]] __device__ bool finish_digits(const destination& to, superaccumulator<Carrier>& sum,
                                                unsigned* carried, std::int64_t* words) {
  const bool complete = sum.log2_error == 0;
  if (to.words != nullptr) {
    if (complete) add_to_words(to.words, sum, carried);
    return complete;
  }
  const unsigned lane = threadIdx.x % 32;
  core::outcome found{0};
  if (complete) {
    found = outcome_of_digits(to, sum, carried, words);
  } else {  // the ends of the interval
    const unsigned position = sum.log2_error + log2_of_warps();
    wide_int* const digit = &sum.digit[position / digit_bits];
    const wide_int bound = wide_int{1} << position % digit_bits;
    if (lane == 0) *digit -= bound;
    __syncwarp();
    found = outcome_of_digits(to, sum, carried, words);
    __syncwarp();
    if (lane == 0) *digit += 2 * bound;
    __syncwarp();
    const core::outcome other = outcome_of_digits(to, sum, carried, words);
    const bool same = found.word == other.word && !found.overflows && !other.overflows;
    if (!__shfl_sync(all_lanes, static_cast<int>(same), 0)) return false;
  }
  if (lane == 0) {
    if (found.overflows) atomicMax(to.status, 1U);  // lines may fail together
    store_anywhere(to, found.overflows ? 0 : found.word);
  }
  return true;
}

/// For terms some of which are infinite or NaN. Every finish but an integer has the special value of the sum.
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
  __syncwarp();  // as add_share
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
