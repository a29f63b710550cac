// SPDX-License-Identifier: Apache-2.0
// block_sum<T>: an exact sum in the shared memory of a block, for kernels of one's own.
//
// It is the words of an accumulator<T>: limbs of radix 2^32 and 64 bits, three counts of special terms, one of
// states. Any thread adds at any time, in any order, by atomics; the sum is exact, so the order changes no bit. A
// 64-bit atomic in shared memory is a loop on a GPU, so a limb is added to in two halves of 32 bits, a native
// atomic each: the low one wraps, and the thread that saw it wrap adds its carry to the high one, which takes steps
// of ±1.
//
// Any number of additions fits. An addition that brings a high half to a multiple of p = 2^16 beyond ±2^30 moves p
// units into the next limb before its thread adds again. Its residue modulo p changes by additions only, so above
// 2^30 it gains another p only by an addition that owes such a move, or by a move owed since it was below -2^30. A
// thread owes one of each at most: |high| < 2^30 + (2·1024 + 1)·2^16 + 2^16 < 2^31, for the 1024 threads of a
// block. Source: R. Neal, "Fast exact summation using small and large superaccumulators", 2015, §2 (the limbs).
#pragma once

#include <exactdot/core/finish.hpp>
#include <type_traits>

#if !defined(__CUDACC__)
#include <exactdot/simt/cuda.hpp>
#endif

namespace exactdot::inline v0_3::cuda {

namespace detail {
/// Of this thread in its block, and the number of threads in the block.
__device__ inline unsigned thread_index() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned thread_count() { return blockDim.x * blockDim.y * blockDim.z; }

/// *address += value, modulo 2^64.
__device__ inline void add_to_word(std::int64_t* address, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
}
}  // namespace detail

/// To be declared __shared__: one for a block, a warp or a bin. sizeof: 192 bytes for float, 1104 for double.
///
///     clear()   barrier   add(…) by any threads   barrier   publish(…) or round<R>() by one thread
///
/// Terms are elements x or products a·b of T, at most 2^63 of the largest magnitude. Special values as in
/// docs/contract.md.
template <class T>
requires(std::is_same_v<T, float> || std::is_same_v<T, double>) class block_sum {
 public:
  /// That of accumulator<T>.
  static constexpr int word_count = core::layout_of<T>().words();

  /// The empty sum. By `threads` threads, this one with the given index among them; a barrier of them must follow.
  __device__ void clear(unsigned index, unsigned threads) {
    for (unsigned i = index; i < word_count; i += threads) words_[i] = i == states ? 1 : 0;
  }
  /// The same by all threads of the block.
  __device__ void clear() { clear(detail::thread_index(), detail::thread_count()); }

  /// Adds x, or a·b, exactly. By any thread. Cost: for each limb that it touches (2 or 3 for x, up to 3 floats or 5
  /// doubles for a·b) one native atomic, two if the low half wraps.
  __device__ __forceinline__ void add(T x) { add_term(core::decompose(x)); }
  __device__ __forceinline__ void add(T a, T b) {
    add_term(core::multiply(core::decompose(a), core::decompose(b)));
  }

  /// Adds a term of finite or special kind, of which no bit weighs less than the last one of the state. By any
  /// thread.
  __device__ __forceinline__ void add_term(const core::exact_term& term) {
    constexpr core::state_layout layout = core::layout_of<T>();
    if (term.kind != core::kind::finite) {
      const int index = term.kind == core::kind::nan ? layout.nans()
                        : term.negative              ? layout.negative_infinities()
                                                     : layout.positive_infinities();
      detail::add_to_word(words_ + index, 1);
      return;
    }
    const int offset = term.exponent - layout.lowest_exponent;
    const int shift = offset & 31;
    int i = offset >> 5;
    add_to_limb(i, static_cast<unsigned>(term.magnitude) << shift, term.negative);
    for (core::uint128 high = term.magnitude >> (32 - shift); high != 0; high >>= 32) {
      add_to_limb(++i, static_cast<unsigned>(high), term.negative);
    }
  }

  /// Adds this sum to the words of an accumulator<T> in global memory, as one more state, by 64-bit atomics: the
  /// words start at zero, and those of all blocks, launches and GPUs may meet in any order, 2^31 − 1 at most. By
  /// one thread, after a barrier; further additions need another one. Cost: an atomic for each nonzero word.
  __device__ void publish(std::int64_t* to) {
    normalise();
    for (int i = 0; i < word_count; ++i) {
      if (words_[i] != 0) detail::add_to_word(to + i, words_[i]);
    }
  }

  /// Becomes the sum whose words these are: of one accumulator<T>, or the elementwise sum of up to 2^31 − 1. By one
  /// thread; a barrier before others add.
  __device__ void load(const std::int64_t* from) {
    for (int i = 0; i < word_count; ++i) {
      words_[i] = static_cast<std::int64_t>(__ldcg(reinterpret_cast<const long long*>(from) + i));
    }
    words_[states] = 1;
    normalise();
  }

  /// The sum, its root (NaN if it is negative) or its quotient by `count` (NaN for 0), rounded once to R, to
  /// nearest, ties to even. By one thread, after a barrier; leaves the sum as it is.
  template <floating_element R>
  [[nodiscard]] __device__ R round() {
    return finished<R>(core::finish::round, 1);
  }
  template <floating_element R>
  [[nodiscard]] __device__ R round_root() {
    return finished<R>(core::finish::root, 1);
  }
  template <floating_element R>
  [[nodiscard]] __device__ R round_quotient(std::uint64_t count) {
    return finished<R>(core::finish::quotient, count);
  }

  /// The limbs, which may hold carries, and the counts.
  [[nodiscard]] __device__ std::int64_t* words() { return words_; }

 private:
  static constexpr int states = core::layout_of<T>().states();
  static constexpr int move_from = 1 << 30, moved = 1 << 16;  // of high halves

  /// words_[i] += ±value, see above.
  __device__ __forceinline__ void add_to_limb(int i, unsigned value, bool negative) {
    while (value != 0) {
      unsigned* const half = reinterpret_cast<unsigned*>(words_ + i);
      const unsigned low = negative ? 0U - value : value;
      const bool carry = atomicAdd(half, low) > ~low;
      const int step = static_cast<int>(carry) - static_cast<int>(negative);
      if (step == 0) return;
      const int high = static_cast<int>(atomicAdd(half + 1, static_cast<unsigned>(step))) + step;
      if (high % moved != 0 || (high < move_from && high > -move_from)) return;
      negative = high < 0;
      atomicAdd(half + 1, static_cast<unsigned>(negative ? moved : -moved));
      value = moved, ++i;  // the last limb of a sum within the headroom stays far below
    }
  }

  /// Canonical words. By one thread.
  __device__ void normalise() {
    constexpr core::state_layout layout = core::layout_of<T>();
    core::normalise(layout, words_);
    for (int i = layout.nans(); i < states; ++i) {
      if (words_[i] > layout.max_count) words_[i] = layout.max_count;
    }
  }

  template <class R>
  __device__ R finished(core::finish kind, std::uint64_t count) {
    constexpr core::state_layout layout = core::layout_of<T>();
    normalise();
    const core::fixed_point number = layout.number(words_);
    const bool negative = core::is_negative(number);
    const core::special_terms special = core::special_terms_of(layout, words_);
    const bool has_no_root = special.any() ? special.minus : negative;
    if (kind == core::finish::root && has_no_root) return core::canonical_nan<R>();
    const core::result_rule rule(kind, core::format<R>::number);
    const std::uint64_t word = core::finish_state(rule, layout, words_, count).word;
    if (negative && !core::is_negative(number)) core::negate(number);
    return core::from_word<R>(word);
  }

  std::int64_t words_[word_count];
};

static_assert(sizeof(block_sum<float>) == 192 && sizeof(block_sum<double>) == 1104);

/// The words of an exact state in global memory, rounded once to R: those of an accumulator<T> or the sum of
/// several, complete and visible. By one thread; overwrites `scratch`, in shared memory.
template <floating_element R, class T>
[[nodiscard]] __device__ R round_words(const std::int64_t* words, block_sum<T>& scratch) {
  scratch.load(words);
  return scratch.template round<R>();
}

}  // namespace exactdot::inline v0_3::cuda
