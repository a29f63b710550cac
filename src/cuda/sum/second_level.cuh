// What kernels of mode exact call rarely, and which is long: refined sums, the second level, and how their results
// are stored. Declared here; second_level.cu compiles it once per carrier (second_level_code.cuh). ptxas would
// clone what it sees for each kernel: 170 of 187 KB of a kernel of lines were such copies.
//
// The interface takes a term's description; loops over a share are compiled for each term, once per carrier.
#pragma once

#include <cuda/sum/error_bound.hpp>
#include <cuda/sum/expansion.cuh>
#include <cuda/sum/superaccumulator.cuh>
#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/term.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Which elements are a thread's: every `count`-th from `first` on. A share, as loops take them (core/load.cuh).
struct thread_share {
  std::size_t first, count;
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return first; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return count; }
};
template <class Share>
__device__ __forceinline__ thread_share share_of_thread(Share share) {
  return {share.first_thread(), share.threads()};
}

/// Adds a share of the terms, in expansions or in integers. By all threads; a barrier before and after. Ends in a
/// barrier of the warp: nvcc 13.0 takes a warp for converged after a call, also where lanes return one by one.
template <class T, input_layout layout>
[[gnu::noinline]] __device__ void add_share(const operands<T, layout>& in, thread_share share, bool in_integers,
                                            const core::term_info& term, superaccumulator<T>& to);

/// A sum in four doubles and a bound on what they dropped (refined_sum.cuh).
using refined_sum = expansion<4>;

/// The sum of this thread's part of a share, each factor multiplied by `power`.
template <class T, input_layout layout>
[[gnu::noinline]] __device__ refined_sum refined_sum_of_share(const operands<T, layout>& in, thread_share share,
                                                              double power, const core::term_info& term);

/// The result, if it is certain, of a refined sum of terms of so many factors with this scaling. By one thread.
template <class T>
[[gnu::noinline]] __device__ core::decision decide_refined(refined_sum total, error_bound bound, scaling scale,
                                                           int factors, const destination& to);

/// Delivers the sum of finite terms, or returns false if what is missing leaves the result open. By the lanes of
/// one warp. `carried` and `words`: scratch in shared memory, of line_storage's sizes.
template <class T>
[[gnu::noinline]] __device__ bool finish_digits(const destination& to, superaccumulator<T>& sum, unsigned* carried,
                                                std::int64_t* words);

/// Delivers the sum of terms some of which are infinite or NaN. Every finish but an integer has the special value
/// of the sum. By the lanes of one warp.
template <class T>
[[gnu::noinline]] __device__ void finish_special(const destination& to, const superaccumulator<T>& sum);

namespace {

// Delivers a grid's sum to its destination: rounded, or added to the words of an exact state.
//
// By the lanes of the first warp of the last block, after the second level.

/// Bits first … first + 31 of carried digits in two's complement.
template <class Carrier>
__device__ inline std::uint64_t bits_at(const unsigned* digit, int first, bool negative) {
  const auto at = [&](int i) -> std::uint64_t {
    return i < digit_layout<Carrier>::count ? digit[i] : negative ? digit_mask : 0;
  };
  const int i = first / digit_bits;
  const std::uint64_t found = at(i) | at(i + 1) << digit_bits | (at(i + 2) & 0xffff) << (2 * digit_bits);
  return found >> first % digit_bits & 0xffffffff;
}

/// Delivers the sum of finite or other terms, or returns false as finish_digits. By the lanes of one warp.
template <class Carrier>
__device__ __forceinline__ bool finish_sum(const destination& to, superaccumulator<Carrier>& sum, unsigned* carried,
                                           std::int64_t* words) {
  if ((sum.special[0] | sum.special[1] | sum.special[2]) == 0) return finish_digits(to, sum, carried, words);
  finish_special(to, sum);
  return true;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
