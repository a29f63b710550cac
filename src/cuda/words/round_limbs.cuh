// Rounds the sum of a state straight from its limbs in the lanes of a warp: once, to nearest, to a floating format.
//
// The most common finish, made short, because it stands between an allreduce and its result. Limbs of summed states
// are not negative but for the last one, so there are carries only, no borrows; those of all chunks of 32 limbs are
// found at once (carry lookahead), and one addition of integers a chunk hands them on. The three leading digits
// come by shuffles. No shared memory; about eight warp collectives follow each other, whatever the number of
// chunks. The checks are those of state_digits.cuh; other finishes go that way. By all lanes of a warp.
#pragma once

#include <cuda/words/state_digits.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Chunks of compact sums of double; those of float have one, full sums of double five.
constexpr int compact_double_chunks = 3;
static_assert(compact_double_chunks ==
              chunks_of(detail::limbs_of(element_type::float64, false, state_form::compact).count));

/// The same in all lanes. `word` means nothing if there is a problem.
struct rounded_sum {
  row_problem problem;
  std::uint64_t word;
};

/// What the lanes find in their words.
struct word_checks {
  unsigned special;  ///< bit 0: NaNs, 1: +∞, 2: −∞
  bool impossible, exceeds;
};

/// As problem_of, but the answers stay in the lanes.
template <int chunks>
__device__ __forceinline__ word_checks check_words(const core::state_layout& layout,
                                                   const lane_words<chunks>& words) {
  using std::uint64_t;
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr lane_int top_limit = lane_int{1} << 62;
  const lane_int states = words.states;
  word_checks found{};
  found.impossible = states<0, found.exceeds = states> core::state_layout::max_states;
  const bool counted = !found.impossible && !found.exceeds;
  const auto max_limb = static_cast<uint64_t>(states * low_half);
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const lane_int limb = words.limb[c];
    if (32 * c + lane == layout.limbs - 1) {
      found.exceeds |= limb < -top_limit || limb > top_limit;
      found.impossible |= counted && states == 0 && limb != 0;
    } else {
      found.impossible |= counted && static_cast<uint64_t>(limb) > max_limb;
    }
  }
  const lane_int max_specials = layout.lowest_exponent == 0 ? 0 : states * core::state_layout::max_count;
  found.impossible |= counted && static_cast<uint64_t>(words.special) > static_cast<uint64_t>(max_specials);
  found.special = __ballot_sync(all_lanes, static_cast<int>(words.special != 0));
  return found;
}

/// Digits of radix 2^32 in two's complement, up to digit `limbs`, which holds the sign; the others are zero.
template <int chunks>
struct lane_digits {
  unsigned digit[chunks];
  bool negative;
};

template <int chunks>
__device__ __forceinline__ lane_digits<chunks> carry_limbs(int limbs, const lane_words<chunks>& words) {
  using std::uint64_t;
  const int lane = static_cast<int>(threadIdx.x % 32);
  uint64_t carried[chunks];
  unsigned sends[chunks], passes_on[chunks];
  unsigned from_below = 0;  // lane 0: the upper half of the chunk before
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const auto limb = static_cast<uint64_t>(words.limb[c]);
    const unsigned upper = __shfl_sync(all_lanes, static_cast<unsigned>(limb >> 32), (lane + 31) % 32);
    carried[c] = (limb & 0xffffffff) + (lane == 0 ? from_below : upper);
    from_below = upper;
  }
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    sends[c] = __ballot_sync(all_lanes, static_cast<int>(carried[c] > 0xffffffff));
    passes_on[c] = __ballot_sync(all_lanes, static_cast<int>(carried[c] == 0xffffffff));
  }
  lane_digits<chunks> found;
  unsigned carry = 0;
  bool is_sign = false;
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const uint64_t sum = (static_cast<uint64_t>(sends[c]) << 1 | carry) + passes_on[c];
    carry = static_cast<unsigned>(sum >> 32);
    const unsigned arrives = (static_cast<unsigned>(sum) ^ passes_on[c]) >> lane & 1;
    const int i = 32 * c + lane;
    found.digit[c] = i <= limbs ? static_cast<unsigned>(carried[c]) + arrives : 0;
    is_sign |= i == limbs && found.digit[c] >> 31 != 0;
  }
  found.negative = __any_sync(all_lanes, static_cast<int>(is_sign)) != 0;
  return found;
}

/// Whether the last limb of the normalised state is beyond ±layout.top_limit(), a power of two: a lane's own
/// digits.
template <int chunks>
__device__ __forceinline__ bool exceeds_top(const core::state_layout& layout, const lane_digits<chunks>& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int bits = layout.highest_exponent + core::headroom_bits - layout.lowest_exponent - 32 * (layout.limbs - 1);
  const unsigned sign = sum.negative ? ~0U : 0;
  bool exceeds = false;
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const int bits_of_digit = bits - (32 * c + lane == layout.limbs ? 32 : 0);  // of this digit
    const unsigned other = sum.digit[c] ^ sign;                                 // bits that are not the sign's
    const bool decides = 32 * c + lane == layout.limbs || 32 * c + lane == layout.limbs - 1;
    if (decides && bits_of_digit < 32) exceeds |= (bits_of_digit <= 0 ? other : other >> bits_of_digit) != 0;
  }
  return exceeds;
}

/// The sum as `to` has it, from digits that are a sum of states.
template <int chunks>
__device__ __forceinline__ std::uint64_t round_digits_of_limbs(core::number_format to,
                                                               const core::state_layout& layout,
                                                               const lane_digits<chunks>& sum) {
  using std::uint64_t;
  const int lane = static_cast<int>(threadIdx.x % 32);
  // Below the lowest nonzero digit the digits of the magnitude are zero; it is the complement above, of the full
  // digits zero.
  int lowest = -1, top = -1;
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const unsigned other = sum.negative ? ~0U : 0;
    const unsigned used = __ballot_sync(all_lanes, static_cast<int>(sum.digit[c] != 0));
    const unsigned leading =
        __ballot_sync(all_lanes, static_cast<int>(32 * c + lane <= layout.limbs && sum.digit[c] != other));
    if (lowest < 0 && used != 0) lowest = 32 * c + __ffs(static_cast<int>(used)) - 1;
    if (leading != 0) top = 32 * c + 31 - __clz(static_cast<int>(leading));
  }
  if (lowest < 0) return 0;
  top = ::max(top, lowest);
  uint64_t leading[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const int i = top - k;
    unsigned selected = 0;  // by masks: a choice would become an array in memory
#pragma unroll
    for (int c = 0; c < chunks; ++c) selected |= sum.digit[c] & (0U - static_cast<unsigned>(i >> 5 == c));
    const unsigned digit = __shfl_sync(all_lanes, selected, i & 31);
    const unsigned complement = i == lowest ? 0U - digit : ~digit;
    leading[k] = i < lowest ? 0 : sum.negative ? complement : digit;
  }
  const uint64_t high = leading[0] << 32 | leading[1];
  const int zeros = core::leading_zeros(high);
  const uint64_t low = leading[2] << zeros;
  const bool sticky = static_cast<unsigned>(low) != 0 || lowest < top - 2;
  const int exponent = layout.lowest_exponent + 32 * (top - 1) - zeros;
  return core::round_significand(to, sum.negative, high << zeros | low >> 32, exponent, sticky);
}

/// A sum of a row, as problem_of and core::finish_state with finish::round have it.
template <int chunks>
__device__ __forceinline__ rounded_sum round_limbs(core::number_format to, const core::state_layout& layout,
                                                   const lane_words<chunks>& words) {
  const word_checks checks = check_words<chunks>(layout, words);
  const lane_digits<chunks> sum = carry_limbs<chunks>(layout.limbs, words);
  const bool exceeds = checks.exceeds || exceeds_top<chunks>(layout, sum);
  const std::uint64_t word = round_digits_of_limbs<chunks>(to, layout, sum);
  if (__any_sync(all_lanes, static_cast<int>(exceeds || checks.impossible)) != 0) {
    const bool impossible = __any_sync(all_lanes, static_cast<int>(checks.impossible)) != 0;
    return {impossible ? impossible_words : no_headroom, 0};
  }
  if (checks.special == 0) return {no_problem, word};
  const bool nan = (checks.special & 1) != 0, plus = (checks.special & 2) != 0, minus = (checks.special & 4) != 0;
  return {no_problem, core::special_word(to, nan, plus, minus)};
}

// Rows of warps: the size of a block, and how a sum that one warp has rounded is stored.

constexpr int rows_per_block = 4;  // warps

/// Stores result i, of 1 to 8 bytes; NaN, and the problem in the status word, if there is one. By one lane.
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
  } else if (bytes == 2) {
    static_cast<std::uint16_t*>(to.value)[i] = static_cast<std::uint16_t>(bits);
  } else {
    static_cast<std::uint8_t*>(to.value)[i] = static_cast<std::uint8_t>(bits);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
