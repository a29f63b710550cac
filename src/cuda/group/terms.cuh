// Adds exact terms to states of groups: in global memory by 64-bit atomics without carries, in shared memory by
// 32-bit ones with carries (table.cuh). Integers, so the order changes nothing.
#pragma once

#include <cuda/group/table.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A term's digits of radix 2^32 in the limbs of a state, the lowest one first.
class term_digits {
 public:
  static constexpr int count = 5;

  __device__ __forceinline__ term_digits(const core::state_layout& layout, core::exact_term term) {
    int offset = term.exponent - layout.lowest_exponent;
    if (offset < 0) {  // bits below the state are 0
      term.magnitude >>= -offset;
      offset = 0;
    }
    const int shift = offset & 31;
    first_limb_ = offset >> 5;
    rest_ = term.magnitude << shift;
    last_ = static_cast<unsigned>(shift == 0 ? 0 : term.magnitude >> (128 - shift));
  }

  [[nodiscard]] __device__ __forceinline__ int first_limb() const { return first_limb_; }
  __device__ __forceinline__ unsigned next() {
    const auto digit = static_cast<unsigned>(rest_);
    rest_ = rest_ >> 32 | static_cast<core::uint128>(last_) << 96;
    last_ = 0;
    return digit;
  }

 private:
  int first_limb_;
  core::uint128 rest_;
  unsigned last_;  ///< above the rest
};

/// Adds a term to the limbs of a state. Zero digits cost nothing.
__device__ inline void add_to_state(wide_unsigned* words, const core::state_layout& layout, core::exact_term term) {
  if (term.kind != core::kind::finite || term.magnitude == 0) return;
  term_digits digits(layout, term);
  wide_unsigned* limb = words + digits.first_limb();
  for (int k = 0; k < term_digits::count; ++k, ++limb) {
    const wide_unsigned digit = digits.next();
    if (digit != 0) atomicAdd(limb, term.negative ? 0 - digit : digit);
  }
}

/// Of a word in shared memory, so that carries of either sign end soon.
constexpr unsigned word_of_zero = 0x80000000U;

/// Adds a term to a state of limbs + 1 words in shared memory.
__device__ inline void add_to_shared_state(unsigned* words, const core::state_layout& layout,
                                           core::exact_term term) {
  if (term.kind != core::kind::finite || term.magnitude == 0) return;
  term_digits digits(layout, term);
  int at = digits.first_limb();
  unsigned carry = 0;
  for (int k = 0; k < term_digits::count && at <= layout.limbs; ++k, ++at) {
    carry = add_word(words + at, digits.next(), carry, term.negative);
  }
  for (; carry != 0 && at <= layout.limbs; ++at) carry = add_word(words + at, 0, carry, term.negative);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
