// Device memory that the blocks of a launch share: the exchange for their messages, and the superaccumulator of the
// second level.
//
// A digit is signed, radix 2^24; see sum/digits.cuh. Digits and counts are zero between launches: the last block of
// a launch clears them.
#pragma once

#include <exactdot/core/state.hpp>

namespace exactdot::inline v0_3::cuda_engine {

using wide_int = long long;
using wide_unsigned = unsigned long long;

inline constexpr int digit_bits = 24;

template <class Carrier>
struct digit_layout {
  /// Bit 0 of digit 0 weighs 2^lowest.
  static constexpr int lowest = core::lowest_product_exponent<Carrier>;
  /// Enough for sums of 2^63 largest products, and for what a conversion may write above its topmost bit.
  static constexpr int count =
      (core::highest_product_exponent<Carrier> + core::headroom_bits - lowest) / digit_bits + 4;
};

/// The sum of a grid, in all digits. Sized for the widest carrier; narrower ones use the first digits.
struct grid_superaccumulator {
  wide_int digit[digit_layout<double>::count];
  wide_unsigned special[3];  ///< numbers of NaN, +infinite, -infinite terms
  unsigned log2_error;       ///< see superaccumulator
};

/// A message of mode exact. Stored and loaded at once, so that data whose flag has come have come.
struct alignas(16) message {
  double value;
  unsigned error_word;  ///< the upper half of the error, rounded up
  unsigned flag;        ///< the launch
};

/// Blocks of a launch of mode exact, at most.
inline constexpr unsigned max_blocks = 1024;

/// Of a ticket: how many blocks drew one before; above, the earlier launches.
inline constexpr int blocks_bits = 16;

inline constexpr std::size_t cache_line = 128;  ///< in bytes

/// The sums of all blocks, each of so many doubles and its error, which is with the first.
template <int parts>
struct message_board {
  struct alignas(cache_line) column {
    message of_block[max_blocks];
  };
  column part[parts];
};

/// For all kernels of a stream in turn; see exchange.cuh.
struct exchange {
  static constexpr unsigned words = 16384;
  static constexpr std::size_t line = cache_line;
  alignas(line) wide_unsigned tickets;
  alignas(line) unsigned contributions;  ///< shares whose digits were added; zero between launches
  unsigned undecided;                    ///< launches whose bounded sums left the rounding open; for measurements
  unsigned undecided_refined;            ///< those of them whose refined sums did too, or had to be left out
  alignas(line) wide_unsigned decision;  ///< of the last block, after the expansions of the second level
  message_board<2> sums;
  message_board<4> refined_sums;                  ///< sum/refined_sum.cuh
  alignas(line) wide_unsigned claimed_parts;      ///< claimed_load.cuh; zero between launches
  alignas(line) wide_unsigned claim[max_blocks];  ///< the last round in which the share was claimed
  alignas(line) wide_unsigned word[words];        ///< of mode fast
};

/// On the device, zero before the first launch.
struct device_state {
  grid_superaccumulator sum;
  cuda_engine::exchange exchange;
};

}  // namespace exactdot::inline v0_3::cuda_engine
