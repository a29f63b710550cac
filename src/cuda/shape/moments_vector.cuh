// Variances and standard deviations from one read of the input, by bounded sums of x and of x^2.
//
//   thread, warp, block   two bounded sums                                   sum/bounded_sum.cuh
//   last block            adds those of all blocks                           core/last_block.cuh
//   last block            decides                                            core::decide_moments
//
// If the bounds leave the rounding open, the exact states of both sums follow in launches of their own, which
// return at once otherwise (destination::unless).
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/core/last_block.cuh>
#include <cuda/sum/bounded_sum.cuh>
#include <cuda/work/moments_state.hpp>
#include <exactdot/core/moment_decision.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Both sums of a thread, a warp or a block.
template <bool compensated>
struct moment_sums {
  bounded_sum<compensated> of_values, of_squares;
};

/// The sums of the block's share, in thread 0. By all threads.
template <int threads, int in_flight, summation sums, class Element, input_layout layout>
__device__ __forceinline__ moment_sums<has_correction<sums>> moments_of_block(const operands<Element, layout>& in) {
  constexpr unsigned warps = threads / 32;
  __shared__ bounded_sum<has_correction<sums>> of_warp[2][warps];
  bounded_thread_sum<Element, core::value, sums> values;
  bounded_thread_sum<Element, core::square, sums> squares;
  const auto add = [&](const auto& x, const auto& y) {
    values.add(x, y);
    squares.add(x, x);
  };
  if constexpr (layout == input_layout::contiguous) {
    for_each_pack_ahead<in_flight>(in, grid_share{}, add);
  } else {
    for_each_pack<core::value, in_flight>(in, grid_share{}, add);
  }
  end_of_input(in.n);
  return {sum_of_block(values.total(), of_warp[0], warps), sum_of_block(squares.total(), of_warp[1], warps)};
}

/// The sum of what all blocks have stored, in lane 0. By the lanes of one warp.
template <bool compensated>
__device__ inline bounded_sum<compensated> sum_of_blocks(const volatile stored_sum* of_block) {
  bounded_sum<compensated> total{};
  for (unsigned i = threadIdx.x; i < gridDim.x; i += 32) {
    bounded_sum<compensated> next{};
    next.sum = of_block[i].sum, next.error = of_block[i].error;
    if constexpr (compensated) next.correction = of_block[i].correction;
    total.join(next);
  }
  __syncwarp();
  return sum_of_warp(total);
}

template <bool compensated>
__device__ __forceinline__ void store_sum(const bounded_sum<compensated>& sum, stored_sum& to) {
  to = {sum.sum, 0, sum.error};
  if constexpr (compensated) to.correction = sum.correction;
}

/// `ddof`: subtracted from the count in the divisor. state->decided becomes 1 if the result is stored, else 0.
template <class Element, input_layout layout, int threads, int in_flight, summation summed>
__global__ void __launch_bounds__(threads)
    moments_kernel(const __grid_constant__ operands<Element, layout> in,
                   const __grid_constant__ error_bound of_values, const __grid_constant__ error_bound of_squares,
                   double ddof, moments_state* state, const __grid_constant__ destination to) {
  constexpr bool compensated = has_correction<summed>;
  __shared__ bool is_last;
  begin_kernel(in.n);
  const moment_sums<compensated> sums = moments_of_block<threads, in_flight, summed>(in);
  if (threadIdx.x == 0) {
    store_sum(sums.of_values, state->values[blockIdx.x]);
    store_sum(sums.of_squares, state->squares[blockIdx.x]);
    is_last = is_last_block(state->finished, gridDim.x);
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= 32) return;
  const auto values = sum_of_blocks<compensated>(state->values);
  const auto squares = sum_of_blocks<compensated>(state->squares);
  if (threadIdx.x != 0) return;
  const core::decision found =
      core::decide_moments<correctly_rounded>(to.rule, static_cast<double>(to.count), ddof,
                                              enclosure_of(values, of_values), enclosure_of(squares, of_squares));
  if (found.certain) store_anywhere(to, found.word);
  state->decided = found.certain ? 1 : 0;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
