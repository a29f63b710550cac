// The words of one state in the lanes of a warp: loaded, checked, and with all carries propagated.
//
// Limb i lies in lane i mod 32, so a warp loads a row at once. Carries of 32 limbs are found by two ballots and one
// addition of integers (carry lookahead); sequentially, only chunks of 32 follow each other: one for a state of
// float, five for one of double. A state that is the sum of many, as after an allreduce, has limbs up to 2^63:
// their upper halves move up first. Digits have radix 2^32 and lie in shared memory; beyond the last limb they
// continue the sign. By all lanes of a warp.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/words/rows.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using lane_int = long long;
constexpr lane_int low_half = 0xffffffff;

/// Chunks of 32 digits of a number of so many limbs, and a sign.
constexpr int chunks_of(int limbs) { return limbs / 32 + 1; }

/// The words of a state, or of a sum of states; each lane holds its limbs.
template <int chunks>
struct lane_words {
  lane_int limb[chunks];
  lane_int special;  ///< in lane 0, 1, 2: the numbers of NaNs, +∞, −∞
  lane_int states;   ///< in all lanes
};

/// `counts`: the words after the limbs, 4, or 1 for the number of states only.
template <int chunks>
__device__ __forceinline__ lane_words<chunks> load_words(const core::state_layout& layout, int counts,
                                                         const std::int64_t* words) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  lane_words<chunks> found;
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const int i = 32 * c + lane;
    found.limb[c] = i < layout.limbs ? words[i] : 0;
  }
  found.special = lane < counts - 1 ? words[layout.limbs + lane] : 0;
  found.states = words[layout.limbs + counts - 1];
  return found;
}

/// Whether they are the sum of `states` canonical states; the checks of accumulator's constructor. Words of zeros
/// are the sum of none. The same in all lanes.
template <int chunks>
__device__ __forceinline__ row_problem problem_of(const core::state_layout& layout,
                                                  const lane_words<chunks>& words) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr lane_int top_limit = lane_int{1} << 62;
  const lane_int states = words.states;
  bool fits = states <= core::state_layout::max_states, possible = states >= 0;
  if (fits && possible) {
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const int i = 32 * c + lane;
      const lane_int limb = words.limb[c];
      if (i == layout.limbs - 1) {
        fits = limb >= -top_limit && limb <= top_limit;
        possible &= states != 0 || limb == 0;
      } else {
        possible &= limb >= 0 && limb <= states * low_half;
      }
    }
    // no integer, whose layouts begin at 2^0, is NaN or infinite
    const lane_int max_specials = layout.lowest_exponent == 0 ? 0 : states * core::state_layout::max_count;
    possible &= words.special >= 0 && words.special <= max_specials;
  }
  if (__any_sync(all_lanes, static_cast<int>(!possible)) != 0) return impossible_words;
  return __any_sync(all_lanes, static_cast<int>(!fits)) != 0 ? no_headroom : no_problem;
}

/// A number whose digits lie in shared memory.
struct digit_number {
  bool negative;
  int lowest;  ///< its lowest nonzero digit; -1: none
  int top;     ///< its highest; after to_magnitude only
};

/// The digits of the limbs limb(0), limb(1), …, each lane its own of every chunk. Sources: carry lookahead, and
/// sum/round_digits.cuh, which does the same for 24 bits.
template <int chunks, class Limb>
__device__ __forceinline__ digit_number propagate(unsigned* digit, Limb limb) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  lane_int into_chunk = 0;
  digit_number found{false, -1, -1};
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const lane_int value = limb(c);
    const int high = static_cast<int>(value >> 32);
    const int below = __shfl_up_sync(all_lanes, high, 1);
    lane_int carried = (value & low_half) + (lane == 0 ? into_chunk : below);
    // Now in (−2^32, 2^33): a lane sends a carry of one, or a borrow, or passes on what comes from below. Where
    // they arrive is in the sum of two binary numbers; bit 32 leaves the chunk.
    const auto arrivals = [](bool sends, bool passes_on) {
      const std::uint64_t on = __ballot_sync(all_lanes, static_cast<int>(passes_on));
      const std::uint64_t from = __ballot_sync(all_lanes, static_cast<int>(sends));
      return ((from << 1) + on) ^ on;
    };
    const std::uint64_t carries = arrivals(carried > low_half, carried == low_half);
    carried += static_cast<lane_int>(carries >> lane & 1);
    if (carried > low_half) carried -= low_half + 1;
    const std::uint64_t borrows = arrivals(carried < 0, carried == 0);
    carried -= static_cast<lane_int>(borrows >> lane & 1);
    const auto own_digit = static_cast<unsigned>(carried & low_half);
    digit[32 * c + lane] = own_digit;
    into_chunk = __shfl_sync(all_lanes, high, 31) + static_cast<lane_int>(carries >> 32 & 1) -
                 static_cast<lane_int>(borrows >> 32 & 1);
    const unsigned used = __ballot_sync(all_lanes, static_cast<int>(own_digit != 0));
    if (found.lowest < 0 && used != 0) found.lowest = 32 * c + __ffs(static_cast<int>(used)) - 1;
    if (c == chunks - 1) found.negative = used >> 31 != 0;
    if (used != 0) found.top = 32 * c + 31 - __clz(static_cast<int>(used));
  }
  __syncwarp();
  return found;
}

/// The last limb of a normalised state, from its digits.
__device__ __forceinline__ lane_int last_limb(const core::state_layout& layout, const unsigned* digit) {
  const std::uint64_t high = digit[layout.limbs];
  return static_cast<lane_int>(high << 32 | digit[layout.limbs - 1]);
}

/// Replaces the digits of a negative number by those of its magnitude: the complement, plus one at the lowest
/// digit.
template <int chunks>
__device__ __forceinline__ void to_magnitude(unsigned* digit, digit_number& number) {
  if (!number.negative) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const int i = 32 * c + lane;
    const unsigned complement = i == number.lowest ? 0U - digit[i] : ~digit[i];
    const unsigned magnitude = i < number.lowest ? 0 : complement;
    digit[i] = magnitude;
    const unsigned used = __ballot_sync(all_lanes, static_cast<int>(magnitude != 0));
    if (c == 0) number.top = -1;
    if (used != 0) number.top = 32 * c + 31 - __clz(static_cast<int>(used));
  }
  __syncwarp();
}

/// The leading bits of a magnitude whose digit 0 weighs 2^lowest_exponent. The same in all lanes.
__device__ __forceinline__ core::wide leading_bits(const unsigned* digit, const digit_number& number,
                                                   int lowest_exponent) {
  core::wide found;
  if (number.top < 0) return found;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const std::uint64_t next = number.top - k < 0 ? 0 : digit[number.top - k];
    found.limb[3 - k / 2] |= k % 2 == 0 ? next << 32 : next;
  }
  found.sticky = number.lowest < number.top - 7;
  found.exponent = lowest_exponent + 32 * (number.top - 7);
  core::normalise(found);
  return found;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
