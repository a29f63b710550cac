// States of lines: the exact sum of each line, added to the words of its state.
//
//   a warp or a block   sums a line in expansions, converted to digits      sum/superaccumulator.cuh
//                       if these dropped something: again, in integers
//   a warp              adds limbs of 32 bits, cut out of the digits
//
// There is no level 1: what a bound decides is no state. Exact; integers, so the order changes nothing. The limbs
// of a line with infinite or NaN terms stay as they are: its counts alone determine its result.
#pragma once

#include <cuda/core/lines.hpp>
#include <cuda/shape/open_lines.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of one team.
template <class Carrier>
struct line_digits {
  superaccumulator<Carrier> sum;
  unsigned carried_digit[digit_layout<Carrier>::count];
};

template <class Carrier>
__device__ bool has_special(const superaccumulator<Carrier>& sum) {
  return (sum.special[0] | sum.special[1] | sum.special[2]) != 0;
}

/// Carries the digits; returns whether the sum is negative. By all lanes of a warp.
template <class Carrier>
__device__ bool carry_digits(const superaccumulator<Carrier>& sum, unsigned* carried) {
  int negative = 0;
  if (threadIdx.x % 32 == 0) {
    wide_int carry = 0;
    for (int i = 0; i < digit_layout<Carrier>::count; ++i) {
      carry += sum.digit[i];
      carried[i] = static_cast<unsigned>(carry) & digit_mask;
      carry >>= digit_bits;
    }
    negative = carry < 0;
  }
  negative = __shfl_sync(all_lanes, negative, 0);
  __syncwarp();
  return negative != 0;
}

/// state += the sum of so many elements, as one more state. By all lanes of a warp. Cost: a carry through the
/// digits by one lane.
template <class Carrier>
[[gnu::noinline]] __device__ void add_to_state(const line_states& to, std::int64_t* state, std::int64_t elements,
                                               const superaccumulator<Carrier>& sum, unsigned* carried) {
  const int lane = static_cast<int>(threadIdx.x % 32), limbs = to.layout.limbs;
  if (!has_special(sum)) {
    const int lowest = to.layout.lowest_exponent - digit_layout<Carrier>::lowest;
    const bool negative = carry_digits(sum, carried);
    for (int i = lane; i < limbs; i += 32) {
      std::uint64_t limb = bits_at<Carrier>(carried, lowest + 32 * i, negative);
      if (i == limbs - 1) limb |= bits_at<Carrier>(carried, lowest + 32 * i + 32, negative) << 32;
      state[i] += static_cast<std::int64_t>(limb);
    }
  }
  if (lane < 3 && to.counts == 4) {
    constexpr wide_unsigned most = core::state_layout::max_count;
    state[limbs + lane] += static_cast<std::int64_t>(sum.special[lane] < most ? sum.special[lane] : most);
  }
  if (lane == 0) {
    ++state[limbs + to.counts - 1];
    if (to.to_count != 0) state[to.to_count] += elements;
  }
  __syncwarp();  // as add_share
}

/// Adds the sum of a line of so many elements to its state. By all threads of the team.
template <class Team, class T, class Line>
__device__ void add_line(const core::term_info& term, const Line& line, Team team, const line_states& to,
                         std::int64_t* state, std::int64_t elements, line_digits<T>& storage) {
  sum_exactly(term, line, team, storage);
  if (team.first_thread() < 32) add_to_state(to, state, elements, storage.sum, storage.carried_digit);
}

/// Adds a block's digits to those of a line that several blocks have. True in the last of them, whose storage then
/// has the line's; the accumulator is zero again. By all threads.
template <class T>
__device__ bool join_digits(line_digits<T>& storage, grid_superaccumulator& shared, unsigned& arrived,
                            unsigned others, bool& is_last) {
  contribute_digits(storage.sum, shared);
  if (!is_last_block_for_all(arrived, others + 1, is_last)) return false;
  collect_digits(storage.sum, shared);
  __syncthreads();
  return true;
}

/// The state of a line, as a work (total_of_line.cuh) of which nothing is known before a warp adds its digits.
template <class T>
struct state_of_line {
  using results = line_states;
  using request = core::term_info;
  template <input_layout layout>
  using source = line_source<T, layout>;
  using storage = line_digits<T>;
  struct total {};
  static constexpr bool stays_open = true;
  template <input_layout>
  static constexpr segment_row segments = segments_of_states;
  template <input_layout>
  static constexpr block_config split = split_states;
  static constexpr bool has_pieces = true;  ///< add_piece, no store and load

  template <input_layout, int, class, class Source, class Line, class Team>
  static __device__ __forceinline__ total total_of(const Source&, const Line&, Team, total*, const request&) {
    return {};
  }
  static __device__ __forceinline__ bool finish(const total&, const line_states&, std::size_t, const request&) {
    return false;
  }
  static __device__ __forceinline__ unsigned choose_scaling(const total&, const line_bounds&) { return 0; }

  /// Adds the state of no elements. By one thread.
  static __device__ __forceinline__ void store_none(const line_states& to, std::size_t i, bool is_valid,
                                                    const request&) {
    if (is_valid) ++to.at(i)[to.layout.limbs + to.counts - 1];
  }
  template <class Team, class Line>
  static __device__ __forceinline__ void again(const Line& line, Team team, unsigned, const line_bounds&,
                                               storage& storage, refined_sum*, const line_states& to, std::size_t i,
                                               std::uint64_t n, const request& term) {
    add_line(term, line, team, to, to.at(i), static_cast<std::int64_t>(n), storage);
  }

  /// Of a line that several blocks have, each adds the digits of its piece to an accumulator of the workspace; the
  /// last one adds them to the state. By all threads.
  template <int threads, class Source, class Piece>
  static __device__ __forceinline__ void add_piece(const Source& in, const Piece& piece, const line_states& to,
                                                   const request& term, line_state& state, storage& storage,
                                                   bool& is_last) {
    const auto& [index, span, unit] = piece.line;
    sum_exactly(term, in.piece(index, span.begin, piece.first, piece.n), block_team<threads>(), storage);
    // only one of the lines that begin in a block goes on in another
    const unsigned first = piece.first_block, others = piece.last_block - first;
    const bool is_whole =
        others == 0 || join_digits(storage, state.open_sum[first], state.arrived[first], others, is_last);
    if (is_whole && threadIdx.x < 32) {
      add_to_state(to, to.at(index), static_cast<std::int64_t>(span.n), storage.sum, storage.carried_digit);
    }
    __syncthreads();
  }
};

/// A block for each line.
template <class T, input_layout layout, int threads>
__global__ void __launch_bounds__(threads)
    line_state_kernel(const __grid_constant__ core::term_info term, const __grid_constant__ lines_of<T, layout> in,
                      const __grid_constant__ line_states to) {
  __shared__ line_digits<T> storage;
  begin_kernel(~std::size_t{0});
  for (std::size_t line = blockIdx.x; line < in.count; line += gridDim.x) {
    add_line(term, in.line(line), block_team<threads>(), to, to.at(line), to.elements, storage);
  }
  end_of_input(~std::size_t{0});
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
