// The second pass of mode exact: a superaccumulator of all digits, in shared memory, which loses nothing.
//
// Blocks whose first pass left something out sum their shares again, with longer expansions or, where those do not
// suffice, in integers, and contribute the digits to the grid's superaccumulator. Integer additions commute, so the
// order changes nothing.
#pragma once

#include <cuda/load.cuh>
#include <cuda/messages.cuh>
#include <cuda/thread_sum.cuh>

namespace exactdot::cuda_engine {
namespace {

template <class Carrier>
struct superaccumulator {
  wide_int digit[digit_layout<Carrier>::count];
  wide_unsigned special[3];  ///< numbers of NaN, +infinite, -infinite terms

  __device__ void clear_special() {
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
  }
  /// By `threads` threads, this one with the given index among them.
  __device__ void clear_digits(unsigned index, unsigned threads) {
    for (unsigned i = index; i < digit_layout<Carrier>::count; i += threads) digit[i] = 0;
  }
  __device__ void add(int i, wide_int value) {
    if (value != 0) add_to(digit + i, value);
  }
  /// By the lanes of a warp.
  __device__ void add(const lane_digits& sum) { add(sum.first + static_cast<int>(threadIdx.x % 32), sum.digit); }
};

/// Calls visit(term) for the exact terms of this thread's share of the grid's.
template <class Term, class T, input_layout layout, class Visit>
__device__ __forceinline__ void for_each_term(const operands<T, layout>& in, Visit visit) {
  for_each_pack<Term, 1>(in, [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) visit(core::exact_addend<Term>(x[i], y[i]));
  });
}

/// Counts the infinite and NaN terms of this thread's share.
template <class Term, class T, input_layout layout, class Carrier>
[[gnu::noinline]] __device__ void count_special(const operands<T, layout>& in, superaccumulator<Carrier>& to) {
  wide_unsigned found[3] = {};
  for_each_term<Term>(in, [&](const core::exact_term& term) {
    found[0] += term.kind == core::kind::nan;
    found[1] += term.kind == core::kind::infinite && !term.negative;
    found[2] += term.kind == core::kind::infinite && term.negative;
  });
  for (int k = 0; k < 3; ++k) {
    if (found[k] != 0) atomicAdd(&to.special[k], found[k]);
  }
}

/// By all lanes of a warp.
template <class Carrier, int levels>
__device__ void add_expansion(superaccumulator<Carrier>& to, const expansion<levels>& of, int origin) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  static_assert(levels % 2 == 0);
  for (int k = 0; k < levels; k += 2) {
    double x[2] = {of.sum[k], of.sum[k + 1]};
    for (bool more = true; more;) {
      const warp_digits found = extract_digits<extracted_digits>(x, origin);
      if (lane < extracted_digits && found.first >= 0) to.add(found.first + lane, found.digit);
      more = __any_sync(all_lanes, found.remainder);
    }
  }
}

/// Adds this warp's share of the grid's terms, which are finite. By all lanes.
template <class Term, class T, input_layout layout, class Carrier>
[[gnu::noinline]] __device__ void add_share(const operands<T, layout>& in, superaccumulator<Carrier>& to) {
  constexpr int more_levels = 6;
  thread_sum<Carrier, Term, more_levels> sum;
  for_each_pack<Term, 1>(in, [&](const auto& x, const auto& y) { sum.add(x, y); });
  __syncwarp();
  if (__all_sync(all_lanes, sum.is_complete())) {
    sum.for_each_expansion([&](const auto& of, int origin) { add_expansion(to, of, origin); });
    return;
  }
  for_each_term<Term>(in, [&](const core::exact_term& term) { add_term<Carrier>(to.digit, term); });
}

/// Adds the block's digits to the grid's. By all threads, after a barrier.
template <class Carrier>
[[gnu::noinline]] __device__ void contribute_digits(const superaccumulator<Carrier>& block,
                                                    grid_superaccumulator& grid, exchange& exchange) {
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    if (block.digit[i] != 0) add_to(&grid.digit[i], block.digit[i]);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // for the whole block
  atomicAdd(&exchange.contributions, 1U);
}

/// Adds the other blocks' complete messages, and what the others contributed; clears the grid's digits. By all
/// threads of the last block; a barrier before and after. `expected`: a word of shared memory.
template <class Carrier>
[[gnu::noinline]] __device__ void collect_digits(superaccumulator<Carrier>& sum, grid_superaccumulator& grid,
                                                 exchange& exchange, unsigned* expected) {
  if (threadIdx.x == 0) *expected = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x / 32; i < gridDim.x; i += blockDim.x / 32) {
    if (i == blockIdx.x) continue;
    const wide_unsigned* const message = &exchange.word[i * message_words];
    const int word = lane < message_words ? static_cast<int>(static_cast<unsigned>(load_word(message + lane))) : 0;
    const int header = __shfl_sync(all_lanes, word, message_header);
    if (log2_error_of(header) != 0) {
      if (lane == 0) atomicAdd(expected, 1U);
    } else if (first_of(header) >= 0 && lane < message_digits) {
      sum.add(first_of(header) + static_cast<int>(lane), word);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned contributors = *expected;
    while (__nv_atomic_load_n(&exchange.contributions, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) !=
           contributors) {
    }
    __threadfence();
    exchange.contributions = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    sum.add(static_cast<int>(i), __ldcg(&grid.digit[i]));
    grid.digit[i] = 0;
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
