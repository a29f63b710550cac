// Kernels around block_sum and thread_sum, right and wrong ones, for block_sum_test.cu.
#pragma once

#include <exactdot/block.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

/// The way of a term to the block's sum.
enum class path { direct, divergent, thread, warp };

/// What is left out.
enum class fault { none, carry, barrier_before, barrier_after };

/// block_sum without the carry of a low half.
template <class T>
struct sum_without_carry : block_sum<T> {
  __device__ void add(T a, T b) {
    const core::exact_term term = core::multiply(core::decompose(a), core::decompose(b));
    if (term.kind != core::kind::finite) return;
    const int offset = term.exponent - core::lowest_product_exponent<T>;
    core::uint128 high = term.magnitude >> (32 - offset % 32);
    unsigned value = static_cast<unsigned>(term.magnitude) << offset % 32;
    for (int i = offset / 32;; ++i, value = static_cast<unsigned>(high), high >>= 32) {
      auto* const half = reinterpret_cast<unsigned*>(this->words() + i);
      atomicAdd(half, term.negative ? 0U - value : value);
      if (term.negative && value != 0) atomicAdd(half + 1, 0U - 1U);
      if (high == 0) return;
    }
  }
};

template <path by, int inputs, class T>
__device__ void add_terms(const T* a, const T* b, unsigned n, block_sum<T>& sum) {
  const unsigned thread = detail::thread_index(), threads = detail::thread_count();
  const unsigned first = blockIdx.x * threads + thread, distance = gridDim.x * threads;
  const auto add_to = [&](auto& to, unsigned i) {
    if constexpr (inputs == 2) {
      to.add(a[i], b[i]);
    } else {
      to.add(a[i]);
    }
  };
  if constexpr (by == path::direct) {
    for (unsigned i = first; i < n; i += distance) add_to(sum, i);
  } else if constexpr (by == path::divergent) {  // some threads add all terms of others, from the last to the first
    const unsigned group = 3;
    if (thread % group != 0) return;
    for (unsigned t = thread; t < threads && t < thread + group; ++t) {
      const unsigned start = blockIdx.x * threads + t;
      if (start >= n) return;
      for (unsigned k = (n - 1 - start) / distance + 1; k-- > 0;) add_to(sum, start + k * distance);
    }
  } else {
    thread_sum<T> held(sum);
    for (unsigned i = first; i < n; i += distance) {
      add_to(held, i);
      if (by == path::thread && i % 5 == 3) held.flush();
    }
    if constexpr (by == path::warp) {
      held.flush_warp();
    } else {
      held.flush();
    }
  }
}

/// Adds the sum of a grid to `words`; of_block: each block's, rounded.
template <path by, int inputs, class T>
__global__ void sum_terms(const T* a, const T* b, unsigned n, std::int64_t* words, double* of_block) {
  __shared__ block_sum<T> sum;
  sum.clear();
  __syncthreads();
  add_terms<by, inputs>(a, b, n, sum);
  __syncthreads();
  if (detail::thread_index() != 0) return;
  of_block[blockIdx.x] = sum.template round<double>();
  sum.publish(words);
}

/// The same with a fault.
template <fault without, class T>
__global__ void sum_wrongly(const T* a, const T* b, unsigned n, std::int64_t* words) {
  __shared__ std::conditional_t<without == fault::carry, sum_without_carry<T>, block_sum<T>> sum;
  sum.clear();
  if constexpr (without != fault::barrier_before) __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum.add(a[i], b[i]);
  }
  if constexpr (without != fault::barrier_after) __syncthreads();
  if (threadIdx.x == 0) sum.publish(words);
}

/// One thread: the sum of the words, its root and its quotient by `count`, to R; then the sum again. The bits of
/// each.
template <class T, class R>
__global__ void round_state(const std::int64_t* words, std::uint64_t count, std::uint64_t* result) {
  __shared__ block_sum<T> sum;
  result[0] = core::to_word(round_words<R>(words, sum));
  result[1] = core::to_word(sum.template round_root<R>());
  result[2] = core::to_word(sum.template round_quotient<R>(count));
  result[3] = core::to_word(sum.template round<R>());
}

/// One thread: the words through a block_sum.
template <class T>
__global__ void publish_loaded(const std::int64_t* from, std::int64_t* to) {
  __shared__ block_sum<T> sum;
  sum.load(from);
  sum.publish(to);
}

/// Adds ±x to a sum whose limb `limb` has the high half `high`; publishes the words before and after.
template <class T>
__global__ void add_next_to_a_move(int limb, int high, T x, unsigned times, std::int64_t* before,
                                   std::int64_t* after, int* last_high) {
  __shared__ block_sum<T> sum;
  sum.clear();
  __syncthreads();
  if (threadIdx.x == 0) {
    sum.words()[limb] = static_cast<std::int64_t>(high) * (std::int64_t{1} << 32);
    for (int i = 0; i < block_sum<T>::word_count; ++i) before[i] = sum.words()[i];
  }
  __syncthreads();
  for (unsigned k = 0; k < times; ++k) sum.add(x);
  __syncthreads();
  if (threadIdx.x != 0) return;
  *last_high = static_cast<int>(sum.words()[limb] >> 32);
  sum.publish(after);
}

/// A sum for each warp, and barriers of the warp alone.
template <bool in_registers, class T>
__global__ void sum_by_warps(const T* a, const T* b, unsigned n, std::int64_t* words) {
  __shared__ block_sum<T> sums[4];
  const unsigned lane = threadIdx.x % 32;
  block_sum<T>& sum = sums[threadIdx.x / 32];
  sum.clear(lane, 32);
  __syncwarp();
  thread_sum<T> held(sum);
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    if constexpr (in_registers) {
      held.add(a[i], b[i]);
    } else {
      sum.add(a[i], b[i]);
    }
  }
  if constexpr (in_registers) held.flush_warp();
  __syncwarp();
  if (lane == 0) sum.publish(words + threadIdx.x / 32 * block_sum<T>::word_count);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda
