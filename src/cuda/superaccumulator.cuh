// The second level of mode exact: a superaccumulator of all digits, in shared memory.
//
// A share is summed in expansions, with a bound on what these dropped, nearly always 0. If that leaves the result
// open, integers follow. A block contributes its digits to the grid's superaccumulator in device memory. Integer
// additions commute, so the order changes nothing.
#pragma once

#include <cuda/digits.cuh>
#include <cuda/exchange.cuh>
#include <cuda/thread_sum.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class Carrier>
struct superaccumulator {
  wide_int digit[digit_layout<Carrier>::count];
  wide_unsigned special[3];  ///< numbers of NaN, +infinite, -infinite terms
  unsigned log2_error;       ///< less than 2^this, as a position, is missing for each warp and share; 0: nothing

  /// By this thread, of at least three.
  __device__ void clear_special(unsigned index) {
    if (index < 3) special[index] = 0;
    if (index == 0) log2_error = 0;
  }
  /// By `threads` threads, this one with the given index among them.
  __device__ void clear_digits(unsigned index, unsigned threads) {
    for (unsigned i = index; i < digit_layout<Carrier>::count; i += threads) digit[i] = 0;
  }
  __device__ void add(int i, wide_int value) {
    if (value != 0) add_to(digit + i, value);
  }
};

/// Calls visit(term) for the exact terms of this thread's part of a share.
template <class Term, class T, input_layout layout, class Share, class Visit>
__device__ __forceinline__ void for_each_term(const operands<T, layout>& in, Share share, Visit visit) {
  for_each_pack<Term, 1>(in, share, [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) visit(core::exact_addend<Term>(x[i], y[i]));
  });
}

/// Counts the infinite and NaN terms of this thread's part of a share.
template <class Term, class T, input_layout layout, class Share, class Carrier>
[[gnu::noinline]] __device__ void count_special(const operands<T, layout>& in, Share share,
                                                superaccumulator<Carrier>& to) {
  wide_unsigned found[3] = {};
  for_each_term<Term>(in, share, [&](const core::exact_term& term) {
    found[0] += term.kind == core::kind::nan;
    found[1] += term.kind == core::kind::infinite && !term.negative;
    found[2] += term.kind == core::kind::infinite && term.negative;
  });
  for (int k = 0; k < 3; ++k) {
    if (found[k] != 0) atomicAdd(&to.special[k], found[k]);
  }
  __syncwarp();
}

/// By all lanes of a warp. Returns a bound, as a position, on what a lane's components have below the digits that
/// were added; 0: nothing. Only exponents that differ by more than some 660 leave anything.
template <class Carrier, int levels>
__device__ unsigned add_expansion(superaccumulator<Carrier>& to, const expansion<levels>& of, int origin) {
  constexpr int max_passes = 3;
  const int lane = static_cast<int>(threadIdx.x % 32);
  static_assert(levels % 2 == 0);
  unsigned log2_error = 0;
  for (int k = 0; k < levels; k += 2) {
    double x[2] = {of.sum[k], of.sum[k + 1]};
    bool more = true;
    for (int pass = 0; more && pass < max_passes; ++pass) {
      const warp_digits found = extract_digits(x, origin);
      if (lane < extracted_digits && found.first >= 0) to.add(found.first + lane, found.digit);
      more = __any_sync(all_lanes, found.remainder);
    }
    log2_error = max(log2_error, max(log2_bound(x[0], origin), log2_bound(x[1], origin)));
  }
  return log2_error;
}

/// Adds a share of the grid's terms, in expansions or in integers. By all threads; a barrier before and after. Ends
/// in a barrier of the warp: nvcc 13.0 takes a warp for converged after a call, also where lanes return one by one.
template <class Term, class T, input_layout layout, class Share, class Carrier>
[[gnu::noinline]] __device__ void add_share(const operands<T, layout>& in, Share share, bool in_integers,
                                            superaccumulator<Carrier>& to) {
  constexpr int levels = 6;  // 318 bits
  // single elements wait for memory one by one otherwise: as many as a pack has
  constexpr int in_flight = layout == input_layout::strided ? 16 / sizeof(T) : 1;
  if (in_integers) {
    for_each_term<Term>(in, share, [&](const core::exact_term& term) { add_term<Carrier>(to.digit, term); });
    __syncwarp();
    return;
  }
  thread_sum<Carrier, Term, levels> sum;
  for_each_pack<Term, in_flight>(in, share, [&](const auto& x, const auto& y) { sum.add(x, y); });
  __syncwarp();
  if (__any_sync(all_lanes, !sum.all_finite())) return count_special<Term>(in, share, to);
  unsigned bound = sum.log2_error();
  sum.for_each_expansion([&](const auto& of, int origin) {
    const unsigned left = add_expansion(to, of, origin);
    if (left > bound) bound = left;
  });
  bound = __reduce_max_sync(all_lanes, bound);
  // what 32 lanes miss of up to 12 components and of what was dropped, a rounded sum
  constexpr unsigned for_lanes = 5, for_components = 5, for_rounding = 1;
  if (bound != 0 && threadIdx.x % 32 == 0) {
    atomicMax(&to.log2_error, bound + for_lanes + for_components + for_rounding);
  }
  __syncwarp();
}

/// Adds the digits and counts of `shares` shares to the grid's. By all threads, after a barrier.
template <class Carrier>
[[gnu::noinline]] __device__ void contribute(const superaccumulator<Carrier>& block, unsigned shares,
                                             grid_superaccumulator& grid, exchange& exchange) {
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    if (block.digit[i] != 0) add_to(&grid.digit[i], block.digit[i]);
  }
  if (threadIdx.x < 3 && block.special[threadIdx.x] != 0) {
    atomicAdd(&grid.special[threadIdx.x], block.special[threadIdx.x]);
  }
  if (threadIdx.x == 0 && block.log2_error != 0) atomicMax(&grid.log2_error, block.log2_error);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // for the whole block
  atomicAdd(&exchange.contributions, shares);
}

/// Adds what the other blocks contributed, `shares` shares, and clears the grid's digits and counts. By all threads
/// of the last block; a barrier before and after.
template <class Carrier>
[[gnu::noinline]] __device__ void collect(superaccumulator<Carrier>& sum, unsigned shares,
                                          grid_superaccumulator& grid, exchange& exchange) {
  if (threadIdx.x == 0) {
    while (__nv_atomic_load_n(&exchange.contributions, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) != shares) {
    }
    __threadfence();
    exchange.contributions = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    sum.add(static_cast<int>(i), __ldcg(&grid.digit[i]));
    grid.digit[i] = 0;
  }
  if (threadIdx.x < 3) {
    sum.special[threadIdx.x] += __ldcg(&grid.special[threadIdx.x]);
    grid.special[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) {
    sum.log2_error = max(sum.log2_error, __ldcg(&grid.log2_error));
    grid.log2_error = 0;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
