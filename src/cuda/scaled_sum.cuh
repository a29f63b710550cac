// The first level of mode exact once more, with scaled factors: for sums of doubles that overflow or underflow.
//
// Bounded sums decide nothing if one of them overflows, or if products lose more to underflow than sums to
// rounding. Then each factor is multiplied by a power of two, and the result is decided in units of a power of two:
//   down   by 2^-600: products are below 2^848. Small factors lose bits; the floor of the bound includes them.
//   up     by 2^600: exact, but factors of 2^424 or more become infinite, and so decide nothing.
// Bounds: error_bound.hpp. Cost: the inputs are read again, with one flop more per factor. Without it, the second
// level would keep two expansions of six doubles.
#pragma once

#include <cuda/cluster_sum.cuh>
#include <cuda/messages.cuh>
#include <type_traits>

namespace exactdot::cuda_engine {
namespace {

/// Whether a kernel sums again with scaled factors. Products of floats stay within the range of double.
template <class Carrier, summation sums>
inline constexpr bool scales_factors = (std::is_same_v<Carrier, double>)&&(sums == compensated);

/// The scaling that may decide a sum of all terms that the bound leaves open. The same in all blocks that know it.
__device__ inline scaling choose_scaling(const bounded_sum<true>& sum, const error_bound& bound) {
  const bool finite = fabs(sum.sum) < HUGE_VAL && fabs(sum.correction) < HUGE_VAL && sum.error < HUGE_VAL;
  if (!finite) return scaling::down;
  return bound.floor > bound.factor * sum.error ? scaling::up : scaling::none;
}

/// The sum of this thread's part of the block's share, each factor multiplied by `power`.
template <class Term, int in_flight, class T, input_layout layout>
__device__ __forceinline__ bounded_sum<true> sum_of_scaled_factors(const operands<T, layout>& in, double power) {
  bounded_thread_sum<T, Term, compensated> sums;
  for_each_pack<Term, in_flight>(in, grid_share{}, [&](const auto& x, const auto& y) {
    constexpr int count = sizeof x / sizeof(T);
    T a[count], b[count];
#pragma unroll
    for (int i = 0; i < count; ++i) a[i] = x[i] * power, b[i] = y[i] * power;
    sums.add(a, b);
  });
  return sums.total();
}

/// The sum of all blocks' messages, in lane 0. By one warp. Not inlined, like the decision, so that their registers
/// are not needed together.
[[gnu::noinline]] __device__ bounded_sum<true> sum_of_scaled_messages(const exchange& exchange, unsigned flag,
                                                                      long long deadline, unsigned* late) {
  return sum_of_messages<true>(exchange.scaled_sums, flag, deadline, late);
}

/// The result, if it is certain, of a sum of scaled factors. By one thread.
template <class Term>
[[gnu::noinline]] __device__ core::decision decide_scaled(bounded_sum<true> total, error_bound bound, scaling scale,
                                                          const destination& to) {
  const auto ends = core::two_sum(total.sum, total.correction);
  const core::enclosure sum{ends.value, ends.error, __fma_rn(bound.factor, total.error, bound.floor)};
  constexpr int exponent = Term::factors * scale_exponent;
  return core::decide_scaled_finish<correctly_rounded>(to.rule, static_cast<double>(to.count), sum,
                                                       scale == scaling::down ? exponent : -exponent);
}

/// Sums again with scaled factors if that may decide the result; then the last block stores it. `first`: the sum of
/// all unscaled terms, in thread 0. By all threads of the blocks that know it, after a barrier; storage.decided is
/// valid afterwards. Not inlined, so that it costs the first level no registers.
///
/// All these blocks choose alike, but blocks that left at their deadline publish nothing. So here the last block
/// has a deadline too, and then proceeds to the second level, which needs no other block. Others leave at theirs.
/// The blocks of a cluster are all there, and need no deadline.
/// `in_flight`: of the first sum. At most four loads at once keep the code short, and leave an accumulator no more
/// terms than the bound counts.
template <class Term, int in_flight, bool in_cluster, class T, input_layout layout, class Storage>
[[gnu::noinline]] __device__ void sum_scaled(const operands<T, layout>& in, bounded_sum<true> first,
                                             const error_bound& bound, Storage& storage, exchange& exchange,
                                             const destination& to) {
  const long long start = clock64();
  if (threadIdx.x == 0) storage.scale = choose_scaling(first, bound);
  __syncthreads();
  const scaling scale = storage.scale;
  if (scale == scaling::none) return;
  const double power = scale == scaling::down ? 1 / scale_power : scale_power;
  constexpr int loads = in_flight < 4 ? in_flight : 4;
  static_assert(bounded_thread_sum<T, Term, compensated>::accumulators <= 4);
  if constexpr (in_cluster) gpu::cluster_arrive();  // the block has read the sums of the first round
  bounded_sum<true> total = sum_of_scaled_factors<Term, loads>(in, power);
  if constexpr (in_cluster) {
    total = sum_of_cluster(total, storage.of_warp);
  } else {
    total = sum_of_block(total, storage.of_warp);
  }
  const bool alone = gridDim.x == 1, last = in_cluster ? blockIdx.x == 0 : alone || storage.ticket.is_last;
  if (!in_cluster && !alone && threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(total, exchange.scaled_sums, storage.ticket.flag);
    constexpr long long clocks = 20000;  // and twice as many as the loop took
    const long long now = clock64(), deadline = now + 2 * (now - start) + clocks;
    total = sum_of_scaled_messages(exchange, storage.ticket.flag, deadline, &storage.late);
  }
  if (threadIdx.x == 0) {
    core::decision found{0, false};
    const error_bound of_scaled = scaled_bound(bound, scale, Term::factors, in.n);
    if (in_cluster || storage.late == 0) found = decide_scaled<Term>(total, of_scaled, scale, to);
    if (found.certain && last) store_anywhere(to, found.word);
    storage.decided = found.certain || (!in_cluster && storage.late != 0 && !last);
  }
  __syncthreads();
}

}  // namespace
}  // namespace exactdot::cuda_engine
