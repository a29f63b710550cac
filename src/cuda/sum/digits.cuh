// Digits: exact sums in the form that suits a GPU, signed, radix 2^24.
//
// A digit of 24 bits leaves room in a 32-bit register for the sum over a warp, which __reduce_add_sync computes in
// one instruction; blocks and the grid add in 64 bits. Digits are integers like the limbs of exactdot/core, so the
// order in which they are added changes nothing. Positions count bits from bit 0 of digit 0.
#pragma once

#include <cuda/core/device_state.hpp>
#include <cuda/core/kernel.cuh>
#include <exactdot/core/decompose.hpp>

namespace exactdot::inline v0_3::cuda_engine {

constexpr unsigned digit_mask = (1U << digit_bits) - 1;

__device__ inline void add_to(wide_int* digit, wide_int value) {
  atomicAdd(reinterpret_cast<wide_unsigned*>(digit), static_cast<wide_unsigned>(value));
}

constexpr int extracted_digits = 10;  // by one conversion

/// The leading digits of a warp's sum.
struct warp_digits {
  int first;       ///< the index of the digit in lane 0; negative: the sum is 0
  int digit;       ///< in lane i < extracted_digits: digit first + i, signed, below 2^31; in other lanes 0
  bool remainder;  ///< something is left below them; in this lane
};

/// extract_digits accepts |x| < 2^convertible_end with no bit below 2^convertible_lowest.
constexpr int convertible_end = 971, convertible_lowest = -1050;

/// The high word of |x|; not 0 for the smallest subnormal numbers either.
__device__ __forceinline__ unsigned magnitude_word(double x) {
  const auto low = static_cast<unsigned>(core::bit_cast<std::uint64_t>(x));
  return (high_word(x) & 0x7fffffffU) | ::min(low, 1U);
}

/// Returns e >= 1 with |x| < 2^(e - origin); 0 for zero.
__device__ __forceinline__ unsigned log2_bound(double x, int origin) {
  const int field = static_cast<int>(high_word(x) >> 20 & 0x7ff);
  return x == 0 ? 0 : static_cast<unsigned>(::max(::max(field, 1) - 1022 + origin, 1));
}

/// Extracts the leading digits of the sum of x[0] + x[1] over all lanes, exactly; x keeps the remainder. By all
/// lanes of a warp. `origin`: the position of 2^0.
///
/// x + 1.5·2^52 units holds two digits of x in its significand: three additions, all exact (the extraction of S. M.
/// Rump, T. Ogita, S. Oishi, "Accurate floating-point summation part I", 2008, §3).
__device__ __forceinline__ warp_digits extract_digits(double (&x)[2], int origin) {
  constexpr int count = 2;                   // digits of 32 lanes each: below 2^30
  static_assert(extracted_digits % 2 == 0);  // an anchor extracts two
  unsigned largest = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) largest = ::max(largest, magnitude_word(x[k]));
  largest = __reduce_max_sync(all_lanes, largest);
  const int end = ::max(static_cast<int>(largest >> 20), 1) - 1022 + origin;
  // anchors stay normal numbers: the lowest extracted digit weighs at least 2^-1074
  const int min_top = ::max((origin - 1074 + digit_bits - 1) / digit_bits, 0) + extracted_digits - 1;
  const int top = ::max(end / digit_bits, min_top);
  warp_digits found{largest == 0 ? -1 : top - (extracted_digits - 1), 0, false};
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr unsigned half = 0x80000;
  unsigned anchor_high = static_cast<unsigned>(digit_bits * (top - 1) - origin + 52 + 1023) << 20 | half;
#pragma unroll
  for (int i = extracted_digits - 2; i >= 0; i -= 2, anchor_high -= 2 * digit_bits << 20) {
    const auto anchor = core::bit_cast<double>(std::uint64_t{anchor_high} << 32);
    unsigned low = 0;
    int high = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const double shifted = x[k] + anchor;
      const auto digits = static_cast<wide_int>(core::bit_cast<std::uint64_t>(shifted)) -
                          static_cast<wide_int>(std::uint64_t{anchor_high} << 32);
      low += static_cast<unsigned>(digits) & digit_mask;
      high += static_cast<int>(digits >> digit_bits);
      x[k] -= shifted - anchor;
    }
    const auto low_total = static_cast<int>(__reduce_add_sync(all_lanes, low));
    const int high_total = __reduce_add_sync(all_lanes, high);
    if (lane == i) found.digit = low_total;
    if (lane == i + 1) found.digit = high_total;
  }
#pragma unroll
  for (int k = 0; k < count; ++k) found.remainder |= x[k] != 0;
  return found;
}

/// digits += a finite term, in integers. For any thread at any time.
template <class Carrier>
__device__ inline void add_digits_of(wide_int* digits, const core::exact_term& term) {
  const int position = term.exponent - digit_layout<Carrier>::lowest;
  const int shift = position % digit_bits;
  const auto add_digit = [&](int i, core::uint128 bits) {
    const auto digit = static_cast<wide_int>(static_cast<unsigned>(bits) & digit_mask);
    if (digit != 0) add_to(digits + i, term.negative ? -digit : digit);
  };
  add_digit(position / digit_bits, term.magnitude << shift);  // bits shifted out at the top are in `high`
  core::uint128 high = term.magnitude >> (digit_bits - shift);
  for (int i = position / digit_bits + 1; high != 0; ++i, high >>= digit_bits) add_digit(i, high);
}

}  // namespace exactdot::inline v0_3::cuda_engine
