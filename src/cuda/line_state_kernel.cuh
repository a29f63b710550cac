// States of lines: the exact sum of each line, added to the words of its state.
//
//   a warp or a block   sums a line in expansions, converted to digits      superaccumulator.cuh
//                       if these dropped something: again, in integers
//   a warp              adds limbs of 32 bits, cut out of the digits
//
// There is no level 1: what a bound decides is no state. Exact; integers, so the order changes nothing. The limbs
// of a line with infinite or NaN terms stay as they are: its counts alone determine its result.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/finish.cuh>
#include <cuda/line_load.cuh>
#include <cuda/line_states.hpp>

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

/// Puts the exact sum of a line's terms, or the numbers of those that are infinite or NaN, into storage.sum. By all
/// threads of the team; a barrier before and after.
template <class Team, class T, input_layout layout>
__device__ __forceinline__ void sum_digits(const core::term_info& term, const operands<T, layout>& line, Team team,
                                           line_digits<T>& storage) {
  const auto thread = static_cast<unsigned>(team.first_thread());
  for (const bool in_integers : {false, true}) {
    Team::synchronise();
    storage.sum.clear_digits(thread, Team::lanes);
    storage.sum.clear_special(thread);
    Team::synchronise();
    add_share(line, share_of_thread(team), in_integers, term, storage.sum);
    Team::synchronise();
    if (storage.sum.log2_error == 0 || has_special(storage.sum)) return;
  }
}

/// Adds the sum of a line of so many elements to its state. By all threads of the team.
template <class Team, class T, input_layout layout>
__device__ void add_line(const core::term_info& term, const operands<T, layout>& line, Team team,
                         const line_states& to, std::int64_t* state, std::int64_t elements,
                         line_digits<T>& storage) {
  sum_digits(term, line, team, storage);
  if (team.first_thread() < 32) add_to_state(to, state, elements, storage.sum, storage.carried_digit);
}

/// `lanes`: of a line, 32 or all threads of a block.
template <class T, input_layout layout, int threads, int lanes>
__global__ void __launch_bounds__(threads)
    line_state_kernel(const __grid_constant__ core::term_info term, const __grid_constant__ lines_of<T, layout> in,
                      const __grid_constant__ line_states to) {
  constexpr unsigned teams = threads / lanes;
  __shared__ line_digits<T> storage_of_team[teams];
  begin_kernel(~std::size_t{0});
  const unsigned index = threadIdx.x / lanes;
  using team = std::conditional_t<lanes == 32, lane_team<32>, block_team<threads>>;
  for (std::size_t line = std::size_t{blockIdx.x} * teams + index; line < in.count;
       line += std::size_t{gridDim.x} * teams) {
    add_line(term, in.line(line), team(), to, to.at(line), to.elements, storage_of_team[index]);
  }
  end_of_input(~std::size_t{0});
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
