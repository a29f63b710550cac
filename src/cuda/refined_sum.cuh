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

#include <cuda/cluster_sum.cuh>
#include <cuda/expansion.cuh>
#include <cuda/messages.cuh>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using refined_sum = expansion<4>;

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

template <class Term>
__device__ __forceinline__ void add_term(refined_sum& sum, float a, float b) {
  sum.add(static_cast<double>(factor<Term>(a)) * static_cast<double>(second_factor<Term>(b)));
}
template <class Term>
__device__ __forceinline__ void add_term(refined_sum& sum, double a, double b) {
  const double x = factor<Term>(a), y = second_factor<Term>(b), product = x * y;
  sum.add(product);
  if constexpr (Term::factors == 2) sum.template add<1>(__fma_rn(x, y, -product));
}

/// The sum of this thread's part of a share, each factor multiplied by `power`.
template <class Term, class T, input_layout layout, class Share>
__device__ __forceinline__ refined_sum sum_of_share(const operands<T, layout>& in, Share share, double power) {
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr int in_flight = is_double ? 4 : 2;  // of floats with four, all long dots were up to 5 % slower
  refined_sum sum{};
  for_each_pack<Term, in_flight>(in, share, [&](const auto& x, const auto& y) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof x / sizeof(T)); ++i) {
      if constexpr (is_double) {
        add_term<Term>(sum, x[i] * power, y[i] * power);
      } else {
        add_term<Term>(sum, x[i], y[i]);
      }
    }
  });
  return sum;
}

/// The components so that each is about the rounding error of the one before, by sums of neighbours from the last
/// to the first (VecSum: Ogita, Rump, Oishi 2005, algorithm 4.3), without loss.
__device__ __forceinline__ void normalise(refined_sum& sum) {
#pragma unroll
  for (int pass = 1; pass < sum.parts; ++pass) {
#pragma unroll
    for (int k = sum.parts - 1; k > 0; --k) {
      const auto added = core::two_sum(sum.part(k - 1), sum.part(k));
      sum.part(k - 1) = added.value, sum.part(k) = added.error;
    }
  }
}

/// The result, if it is certain, of a sum of factors with this scaling. By one thread.
template <class Term>
[[gnu::noinline]] __device__ core::decision decide_refined(refined_sum total, error_bound bound, scaling scale,
                                                           const destination& to) {
  normalise(total);
  double rest = bound.floor;
#pragma unroll
  for (int k = total.parts - 1; k > 1; --k) rest += fabs(total.part(k));
  const core::enclosure sum{total.part(0), total.part(1), __fma_rn(bound.factor, total.error, rest)};
  const double count = static_cast<double>(to.count);
  if (scale == scaling::none) {
    if (sum.bound == 0 && to.rule.finish() == core::finish::round)
      return core::round_exact(to.rule, sum.head, sum.tail);
    return core::decide_finish<correctly_rounded>(to.rule, count, sum);
  }
  constexpr int exponent = Term::factors * scale_exponent;
  return core::decide_scaled_finish<correctly_rounded>(to.rule, count, sum,
                                                       scale == scaling::down ? exponent : -exponent);
}

/// Sums again, if that may decide the result; then the last block stores it. `scale`: chosen from the sum of all
/// unscaled terms, in thread 0. By all threads of the blocks that know it; notes.decided is valid afterwards.
/// `of_warp`: in shared memory. Not inlined, so that it costs the first level no registers.
///
/// All these blocks choose alike, but blocks that left at their deadline publish nothing. So here the last block
/// has a deadline too, and then proceeds to the second level, which needs no other block. Others leave at theirs.
/// The blocks of a cluster are all there, and need no deadline.
template <class Term, bool in_cluster, class T, input_layout layout>
[[gnu::noinline]] __device__ void decide_by_refined_sum(const operands<T, layout>& in, scaling chosen,
                                                        const error_bound& bound, block_notes& notes,
                                                        refined_sum* of_warp, exchange& exchange,
                                                        const destination& to) {
  const long long start = clock64();
  if (threadIdx.x == 0) notes.scale = chosen;
  __syncthreads();
  const scaling scale = notes.scale;
  const double power = scale == scaling::none ? 1 : scale == scaling::down ? 1 / scale_power : scale_power;
  const unsigned warps = blockDim.x / 32;
  if constexpr (in_cluster) gpu::cluster_arrive();  // the block has read the sums of the first round
  refined_sum total = sum_of_share<Term>(in, grid_share{}, power);
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
      found = decide_refined<Term>(total, refined_bound(bound, scale, Term::factors, in.n), scale, to);
    }
    if (found.certain && last) store_anywhere(to, found.word);
    notes.decided = found.certain || (!in_cluster && notes.late != 0 && !last);
  }
  __syncthreads();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
