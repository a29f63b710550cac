// Refined sums: the first level of mode exact once more, with more bits, if bounded sums leave the rounding open.
//
//   sums that cancel              each thread, warp, block and the grid add in expansions of four doubles
//   doubles that over- or         the same of scaled factors, decided in units of a power of two:
//   underflow                       down   by 2^-600: products are below 2^848. Small factors lose bits; the floor
//   of
//                                          the bound includes them.
//                                   up     by 2^600: exact, but factors of 2^424 or more become infinite, and so
//                                          decide nothing.
//
// What an expansion drops is nearly always 0; then sums that are ties are decided too. Bounds: error_bound.hpp.
// Cost: the inputs are read again; 26 flops a term, 46 of products of doubles. Without it the second level would
// follow, with digits in shared memory: 5 to 7 us more for vectors of 2^12 to 2^15 elements.
#pragma once

#include <cuda/sum/grid_sum.cuh>
#include <cuda/sum/second_level.cuh>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// What thread 0 of a block tells the others.
struct block_notes {
  launch_ticket ticket;
  unsigned late;  ///< 1: this block reached its deadline before all messages came
  bool decided;   ///< nothing is left to do for this block
  scaling scale;
};

/// The scaling that may decide a sum of all terms that the bound leaves open. The same in all blocks that know it.
template <class Carrier, bool compensated>
__device__ __forceinline__ scaling choose_scaling(const bounded_sum<compensated>& sum, const error_bound& bound) {
  if constexpr (std::is_same_v<Carrier, float>) {
    return scaling::none;  // products and their sums are within the range of double
  } else {
    bool finite = sum.error < HUGE_VAL;
#pragma unroll
    for (int k = 0; k < sum.parts; ++k) finite &= fabs(sum.part(k)) < HUGE_VAL;
    if (!finite) return scaling::down;
    return bound.floor > bound.factor * sum.error ? scaling::up : scaling::none;
  }
}

/// Sums again, if that may decide the result; then the last block stores it. `scale`: chosen from the sum of all
/// unscaled terms, in thread 0. By all threads of the blocks that know it; notes.decided is valid afterwards.
/// `of_warp`: in shared memory. Not inlined, so that it costs the first level no registers.
///
/// All these blocks choose alike, but blocks that left at their deadline publish nothing. So here the last block
/// has a deadline too, and then proceeds to the second level, which needs no other block. Others leave at theirs.
/// The blocks of a cluster are all there, and need no deadline.
template <bool in_cluster, class T, input_layout layout>
[[gnu::noinline]] __device__ void decide_by_refined_sum(const core::term_info& term, const operands<T, layout>& in,
                                                        scaling chosen, const error_bound& bound,
                                                        block_notes& notes, refined_sum* of_warp,
                                                        exchange& exchange, const destination& to) {
  const long long start = clock64();
  if (threadIdx.x == 0) notes.scale = chosen;
  __syncthreads();
  const scaling scale = notes.scale;
  const double power = scale == scaling::none ? 1 : scale == scaling::down ? 1 / scale_power : scale_power;
  const unsigned warps = blockDim.x / 32;
  if constexpr (in_cluster) gpu::cluster_arrive();  // the block has read the sums of the first round
  refined_sum total = refined_sum_of_share(in, share_of_thread(grid_share{}), power, term);
  if constexpr (in_cluster) {
    total = sum_of_cluster(total, of_warp, warps);
  } else {
    total = sum_of_block(total, of_warp, warps);
  }
  const bool alone = gridDim.x == 1, last = in_cluster ? blockIdx.x == 0 : alone || notes.ticket.is_last;
  if (!in_cluster && !alone && threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(total, exchange.refined_sums, notes.ticket.flag);
    constexpr long long clocks = 20000;  // and twice as many as the loop took
    const long long now = clock64(), deadline = now + 2 * (now - start) + clocks;
    total = sum_of_messages<refined_sum>(exchange.refined_sums, notes.ticket.flag, deadline, &notes.late);
  }
  if (threadIdx.x == 0) {
    if (last) ++exchange.undecided;
    core::decision found{0, false};
    if (in_cluster || notes.late == 0) {
      found = decide_refined<T>(total, refined_bound(bound, scale, term.factors, in.n), scale, term.factors, to);
    }
    if (found.certain && last) store_anywhere(to, found.word);
    notes.decided = found.certain || (!in_cluster && notes.late != 0 && !last);
  }
  __syncthreads();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
