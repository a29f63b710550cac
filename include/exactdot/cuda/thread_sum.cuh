// SPDX-License-Identifier: Apache-2.0
// thread_sum<T>: the terms of one thread in registers, exactly, on their way to a block_sum.
//
// An expansion: a few doubles whose exact sum is the sum so far. A term passes through them by TwoSum (Knuth, TAOCP
// 2, §4.2.2), 6 flops each; what the last one leaves, for data of moderate range nothing, goes to the block_sum at
// once, so nothing is lost. A product of doubles is TwoProduct's value and error (Ogita, Rump, Oishi 2005,
// algorithm 3.5). Terms that might not be exact so, infinities and NaNs go to the block_sum as integers.
#pragma once

#include <exactdot/core/error_free.hpp>
#include <exactdot/cuda/block_sum.cuh>

namespace exactdot::inline v0_3::cuda {

/// One thread's object. Two components hold 106 bits, three 159. The block_sum must be clear, and a barrier passed,
/// before the first addition. At most 2^62 terms between two flushes. Exact under --fmad and --use_fast_math too.
template <class T, int components = std::is_same_v<T, float> ? 2 : 3>
class thread_sum {
  static constexpr bool is_float = std::is_same_v<T, float>;

 public:
  __device__ explicit thread_sum(block_sum<T>& sum) : sum_(sum) {}

  /// Adds x exactly.
  __device__ __forceinline__ void add(T x) {
    if (is_float ? is_normal(x) : is_within(x, 0, highest)) {
      pass(x);
    } else {
      sum_.add(x);
    }
  }

  /// Adds a·b exactly.
  __device__ __forceinline__ void add(T a, T b) {
    const double product = __dmul_rn(a, b);
    if (is_float ? is_normal(a) && is_normal(b) : is_within(product, lowest, highest)) {
      pass(product);
      if constexpr (!is_float) pass<1>(__fma_rn(a, b, -product));
    } else {
      sum_.add(a, b);
    }
  }

  /// Adds what this thread holds to the block_sum, and holds nothing then.
  __device__ __forceinline__ void flush() {
#pragma unroll 1
    for (int k = 0; k < components; ++k) {
      if (part_[0] != 0) add_to_block(part_[0]);
#pragma unroll
      for (int i = 0; i + 1 < components; ++i) part_[i] = part_[i + 1];
      part_[components - 1] = 0;
    }
  }

  /// The same by all 32 lanes of a warp together, which add their sums first: fewer atomics on the same limbs.
  __device__ __forceinline__ void flush_warp() {
    constexpr unsigned all_lanes = 0xffffffffU;
    const unsigned lane = detail::thread_index() % 32;
#pragma unroll 1
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      __syncwarp();
      double other[components];
#pragma unroll
      for (int k = 0; k < components; ++k) other[k] = __shfl_down_sync(all_lanes, part_[k], distance);
      if (lane >= distance) continue;
#pragma unroll
      for (int k = 0; k < components; ++k) pass(other[k]);
    }
    if (lane == 0) flush();
#pragma unroll
    for (int k = 0; k < components; ++k) part_[k] = 0;
    __syncwarp();
  }

 private:
  // Doubles below 2^highest: 2^63 of them do not overflow. Products from 2^lowest on: the error does not underflow.
  static constexpr int lowest = -900, highest = 960;

  /// 2^from <= |x| < 2^end, but every |x| < 2^end if `from` is 0.
  static __device__ __forceinline__ bool is_within(double x, int from, int end) {
    const auto field = static_cast<unsigned>(core::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff;
    const unsigned first = from == 0 ? 0 : static_cast<unsigned>(from + 1023);
    return field - first < static_cast<unsigned>(end + 1023) - first;
  }
  /// Not 0, subnormal (which a conversion may take for 0), infinite or NaN.
  static __device__ __forceinline__ bool is_normal(float x) {
    return (core::bit_cast<std::uint32_t>(x) >> 23 & 0xff) - 1U < 254U;
  }

  /// Adds x, which is no larger than component `from` may hold.
  template <int from = 0>
  __device__ __forceinline__ void pass(double x) {
#pragma unroll
    for (int k = from; k < components; ++k) {
      const auto added = core::two_sum(part_[k], x);
      part_[k] = added.value, x = added.error;
    }
    if (x != 0) add_to_block(x);
  }

  /// x is a sum of terms, so it is a multiple of the last bit of the state.
  __device__ __forceinline__ void add_to_block(double x) {
    core::exact_term term = core::decompose(x);
    const int zeros = core::lowest_product_exponent<T> - term.exponent;
    if (zeros > 0) {
      term.magnitude = static_cast<std::uint64_t>(term.magnitude) >> zeros;
      term.exponent += zeros;
    }
    sum_.add_term(term);
  }

  block_sum<T>& sum_;
  double part_[components] = {};
};

}  // namespace exactdot::inline v0_3::cuda
