// Adds exact terms to states of groups: in global memory by 64-bit atomics without carries, in shared memory by
// 32-bit ones with carries (group_table.cuh). Integers, so the order changes nothing.
#pragma once

#include <cuda/group_table.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Adds a term to the limbs of a state. Zero digits cost nothing.
__device__ inline void add_to_state(wide_unsigned* words, const core::state_layout& layout, core::exact_term term) {
  if (term.kind != core::kind::finite || term.magnitude == 0) return;
  int offset = term.exponent - layout.lowest_exponent;
  if (offset < 0) {  // bits below the state are 0
    term.magnitude >>= -offset;
    offset = 0;
  }
  const int shift = offset & 31;
  core::uint128 low = term.magnitude << shift;
  const auto high = static_cast<unsigned>(shift == 0 ? 0 : term.magnitude >> (128 - shift));
  wide_unsigned* limb = words + (offset >> 5);
  for (int k = 0; k < 5; ++k, ++limb, low >>= 32) {
    const wide_unsigned digit = k == 4 ? high : static_cast<unsigned>(low);
    if (digit != 0) atomicAdd(limb, term.negative ? 0 - digit : digit);
  }
}

/// Of a word in shared memory, so that carries of either sign end soon.
constexpr unsigned word_of_zero = 0x80000000U;

/// Adds a term to a state of limbs + 1 words in shared memory.
__device__ inline void add_to_shared_state(unsigned* words, const core::state_layout& layout,
                                           core::exact_term term) {
  if (term.kind != core::kind::finite || term.magnitude == 0) return;
  int offset = term.exponent - layout.lowest_exponent;
  if (offset < 0) {  // bits below the state are 0
    term.magnitude >>= -offset;
    offset = 0;
  }
  const int shift = offset & 31;
  core::uint128 low = term.magnitude << shift;
  const auto high = static_cast<unsigned>(shift == 0 ? 0 : term.magnitude >> (128 - shift));
  int at = offset >> 5;
  unsigned carry = 0;
  for (int k = 0; k < 5 && at <= layout.limbs; ++k, ++at, low >>= 32) {
    carry = add_word(words + at, k == 4 ? high : static_cast<unsigned>(low), carry, term.negative);
  }
  for (; carry != 0 && at <= layout.limbs; ++at) carry = add_word(words + at, 0, carry, term.negative);
}

}  // namespace
}  // namespace exactdot::cuda_engine
