// Bounded sums: the first level of mode exact. An approximation with a running bound on its error, which nearly
// always leaves no doubt about the rounding.
//
// Plain: s, for results of at most 24 bits from float carriers, whose products are exact in double. Compensated: s
// and c, the sum of all rounding errors, by TwoSum and TwoProduct (Dot2: Ogita, Rump, Oishi 2005, §5). Grouped:
// the terms that are loaded together plainly, their sums by TwoSum. E adds up |s| over all additions: a rounding
// errs by at most u times its result (running error analysis: Wilkinson; Higham, Accuracy and Stability, §3.3).
// Bound: error_bound.hpp. Cost per term: 2 flops plain, 3.5 grouped, 9 compensated, 11 for products of doubles.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/core/load.cuh>
#include <cuda/core/tuning.hpp>
#include <cuda/sum/error_bound.hpp>
#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/term.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The upper half of x >= 0, rounded up, for messages. Zero stays zero; infinity becomes NaN.
__device__ __forceinline__ unsigned upper_word(double x) { return high_word(x) + (x != 0); }
__device__ __forceinline__ double from_upper_word(unsigned word) {
  return core::bit_cast<double>(std::uint64_t{word} << 32);
}

/// An accumulator. Without initialisers, so that it may lie in shared memory.
template <bool compensated>
struct bounded_sum {
  static constexpr int parts = compensated ? 2 : 1;
  double sum;
  double correction;  ///< only if compensated
  double error;       ///< E

  /// sum and correction by index, as of an expansion.
  [[nodiscard]] __device__ __forceinline__ double& part(int k) { return k == 0 ? sum : correction; }
  [[nodiscard]] __device__ __forceinline__ double part(int k) const { return k == 0 ? sum : correction; }

  /// Adds a number of which value + rest is known.
  __device__ __forceinline__ void add(double value, double rest) {
    if constexpr (compensated) {
      const auto added = core::two_sum(sum, value);
      sum = added.value;
      correction += added.error + rest;
    } else {
      sum += value;
    }
    error += fabs(sum);
  }

  /// Adds a number that is known exactly.
  __device__ __forceinline__ void add_exact(double value) {
    if constexpr (compensated) {
      const auto added = core::two_sum(sum, value);
      sum = added.value;
      correction += added.error;
    } else {
      sum += value;
    }
    error += fabs(sum);
  }

  template <class Term>
  __device__ __forceinline__ void add_term(float a, float b) {
    const double x = a, y = b;
    if constexpr (Term::factors == 1) {
      add(x, 0);
    } else if constexpr (compensated) {
      add(x * y, 0);
    } else {
      sum = __fma_rn(x, y, sum);
      error += fabs(sum);
    }
  }
  template <class Term>
  __device__ __forceinline__ void add_term(double a, double b) {
    if constexpr (Term::factors == 1) {
      add(a, 0);
    } else {
      const double product = a * b;
      add(product, __fma_rn(a, b, -product));
    }
  }

  __device__ __forceinline__ void join(const bounded_sum& other) {
    error += other.error;
    add(other.sum, other.correction);
  }
};

/// The accumulators of a thread. Elements that are loaded together go to different ones.
template <class Carrier, class Term, summation sums>
struct bounded_thread_sum {
  static constexpr int accumulators = pack<Carrier>::count;
  static constexpr bool compensated = has_correction<sums>;
  bounded_sum<compensated> partial[accumulators] = {};

  template <int count>
  __device__ __forceinline__ void add(const Carrier (&a)[count], const Carrier (&b)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      partial[i % accumulators].template add_term<Term>(factor<Term>(a[i]), second_factor<Term>(b[i]));
    }
  }
  /// Adds exact numbers. Number i of the array goes to accumulator (first + i) mod accumulators.
  template <int count>
  __device__ __forceinline__ void add_exact(const double (&x)[count], int first) {
#pragma unroll
    for (int i = 0; i < count; ++i) partial[(first + i) % accumulators].add_exact(x[i]);
  }
  __device__ __forceinline__ bounded_sum<compensated> total() {
#pragma unroll
    for (int half = accumulators / 2; half > 0; half /= 2) {
#pragma unroll
      for (int i = 0; i < half; ++i) partial[i].join(partial[i + half]);
    }
    return partial[0];
  }
};

/// The accumulator of a thread that adds groups of terms plainly and joins their sums by TwoSum. A group counts its
/// full E; a join counts 2^-33·|s|, because the correction errs by at most 2^20·u² = 2^-33·u times |s|.
template <class Carrier, class Term>
struct bounded_thread_sum<Carrier, Term, summation::grouped> {
  static_assert(core::streams_of<Term, Carrier> == 1, "a plain sum has no room for a product's error");
  static constexpr int accumulators = 1;
  bounded_sum<true> all = {};

  template <int count>
  __device__ __forceinline__ void add(const Carrier (&a)[count], const Carrier (&b)[count]) {
    bounded_sum<false> group{};
    group.sum = exact_term(factor<Term>(a[0]), second_factor<Term>(b[0]));
#pragma unroll
    for (int i = 1; i < count; ++i) group.template add_term<Term>(factor<Term>(a[i]), second_factor<Term>(b[i]));
    const auto added = core::two_sum(all.sum, group.sum);
    all.sum = added.value;
    all.correction += added.error;
    all.error = __fma_rn(fabs(all.sum), 0x1p-33, all.error + group.error);
  }
  __device__ __forceinline__ bounded_sum<true> total() const { return all; }

 private:
  static __device__ __forceinline__ double exact_term(Carrier a, Carrier b) {
    const double x = a;
    return Term::factors == 1 ? x : x * static_cast<double>(b);
  }
};

/// Copies a sum, to or from shared memory: only the parts that it has.
template <class Sum>
__device__ __forceinline__ void copy_sum(const Sum& from, Sum& to) {
#pragma unroll
  for (int k = 0; k < Sum::parts; ++k) to.part(k) = from.part(k);
  to.error = from.error;
}

/// The sum of another lane: `shuffle` moves a double.
template <class Sum, class Shuffle>
__device__ __forceinline__ Sum shuffled(const Sum& x, Shuffle shuffle) {
  Sum moved{};
#pragma unroll
  for (int k = 0; k < Sum::parts; ++k) moved.part(k) = shuffle(x.part(k));
  moved.error = shuffle(x.error);
  return moved;
}

/// The sum over a warp, in lane 0. By all lanes; those from the first power of two that is not below `lanes` on
/// have nothing. Sum, here and below: a bounded sum or an expansion.
template <class Sum>
__device__ __forceinline__ Sum sum_of_warp(Sum x, unsigned lanes = 32) {
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    if (distance >= lanes) continue;
    x.join(shuffled(x, [distance](auto part) { return __shfl_down_sync(all_lanes, part, distance); }));
  }
  return x;
}

/// The sum over a block of so many warps, in thread 0; a barrier in between. By all threads. `of_warp`: in shared
/// memory.
template <class Sum>
__device__ __forceinline__ Sum sum_of_block(Sum x, Sum* of_warp, unsigned warps) {
  x = sum_of_warp(x);
  if (threadIdx.x % 32 == 0) copy_sum(x, of_warp[threadIdx.x / 32]);
  __syncthreads();
  if (warps > 1 && threadIdx.x < 32) {
    Sum of_lane{};
    if (threadIdx.x < warps) copy_sum(of_warp[threadIdx.x], of_lane);
    x = sum_of_warp(of_lane, warps);
  }
  return x;
}

/// x rounded to a float16.
__host__ __device__ inline std::uint16_t float16_bits(float x) {
#ifdef __CUDA_ARCH__
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
  return half;
#else
  return static_cast<std::uint16_t>(core::round_finite(core::format<float16>::number, x));
#endif
}

struct correctly_rounded {
  static __host__ __device__ double root(double x) {
#ifdef __CUDA_ARCH__
    return __dsqrt_rn(x);
#else
    return std::sqrt(x);
#endif
  }
  static __host__ __device__ double fma(double x, double y, double z) {
#ifdef __CUDA_ARCH__
    return __fma_rn(x, y, z);
#else
    return std::fma(x, y, z);
#endif
  }
  /// To 16 bits by way of a float that is rounded to odd: 24 bits are two more than enough.
  static __host__ __device__ std::uint64_t rounded(core::number_format to, double x) {
#ifdef __CUDA_ARCH__
    const bool is_bfloat16 = to.precision == core::format<bfloat16>::precision;
    if (is_bfloat16 || to.precision == core::format<float16>::precision) {
      const float cut = __double2float_rz(x);
      unsigned bits = __float_as_uint(cut);
      if (static_cast<double>(cut) != x) bits |= 1;
      if (is_bfloat16) return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
      return float16_bits(__uint_as_float(bits));
    }
#endif
    return core::round_finite(to, x);
  }
};

/// Finishes other than a rounding to float or double. Not inlined: short launches fetch few instructions.
[[gnu::noinline]] __device__ core::decision decide_other_finish(core::result_rule rule, double count,
                                                                core::enclosure sum) {
  return core::decide_finish<correctly_rounded>(rule, count, sum);
}

/// The enclosure of a sum with this bound.
template <bool compensated>
__device__ __forceinline__ core::enclosure enclosure_of(const bounded_sum<compensated>& total,
                                                        const error_bound& bound) {
  core::enclosure sum{total.sum, 0, __fma_rn(bound.factor, total.error, bound.floor)};
  if constexpr (compensated) {
    const auto ends = core::two_sum(total.sum, total.correction);
    sum.head = ends.value, sum.tail = ends.error;
  }
  return sum;
}

/// The result, if it is certain. By one thread.
template <class Carrier, bool compensated>
__device__ __forceinline__ core::decision decide(const bounded_sum<compensated>& total, const error_bound& bound,
                                                 const destination& to) {
  const core::enclosure sum = enclosure_of(total, bound);
  if (to.rule.finish() == core::finish::round && to.rule.gives<Carrier>())
    return core::decide_rounding<Carrier>(sum);
  return decide_other_finish(to.rule, static_cast<double>(to.count), sum);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
