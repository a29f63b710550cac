// Long contiguous inputs: all but the last turns of the grid-stride loop are a block's own; of the last ones,
// blocks claim parts as they come free. Multiprocessors do not get equal shares of the memory's bandwidth, so with
// equal shares of the elements the last of them ends some per cent after the first (docs/experiments.md).
//
// A part is what one block would read in one turn. A claim is one atomic addition by one thread, asked for a turn
// before it is needed. Which block adds a part changes the sum's error, not the bound: sum/error_bound.hpp counts
// the most turns that a block can take.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/load.cuh>
#include <cuda/sum/error_bound.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The next part for the block, of `parts`; `parts` or more if none is left. `slots`, in shared memory: claims that
/// the threads read, in turn.
struct part_claims {
  wide_unsigned* counter;
  unsigned (*slots)[2];
  unsigned limit;      ///< claims of a block, at most
  unsigned taken = 0;  ///< claims, of all threads alike
  unsigned asked = ~0U;

  /// By all threads. The answer takes a round trip to L2.
  __device__ __forceinline__ void ask() {
    if (threadIdx.x != 0) return;
    asked = ~0U;
    if (taken < limit) asked = static_cast<unsigned>(atomicAdd(counter, 1ULL));
  }
  /// What was asked for. By all threads, with one barrier.
  __device__ __forceinline__ unsigned answer() {
    const unsigned slot = taken++ % 2;
    if (threadIdx.x == 0) (*slots)[slot] = asked;
    __syncthreads();
    return (*slots)[slot];
  }
};

/// As for_each_contiguous of the block's own share, but for the parts that it claims. `counter`: zero before the
/// launch; clear_claims of the last block makes it so again.
template <class Term, int in_flight, class T, class Add>
__device__ __forceinline__ void for_each_claimed(const operands<T, input_layout::contiguous>& in,
                                                 wide_unsigned& counter, unsigned (&slots)[2], Add add) {
  constexpr bool two = Term::inputs == 2;
  const grid_share own_share{};
  const contiguous_loop<T> own(in, own_share, two);
  const std::size_t length = in_flight * own.step;  // of a turn, in elements
  const turn_counts turns = divide_turns((in.end + length - 1) / length, gridDim.x);
  part_claims claims{&counter, &slots, static_cast<unsigned>(turns.limit)};
  std::size_t i = own.first;
  for (std::size_t turn = 0; turn < turns.own; ++turn, i += length) {
    if (turn + 1 == turns.own && turns.claimed != 0) claims.ask();
    if (i < in.end) own.template turn<in_flight>(in, i, add);
  }
  const auto parts = static_cast<unsigned>(turns.claimed * gridDim.x);
  while (turns.claimed != 0) {
    const unsigned part = claims.answer();
    if (part >= parts) break;
    claims.ask();
    const grid_share share{part % gridDim.x};
    const contiguous_loop<T> loop(in, share, two);
    i = loop.first + (turns.own + part / gridDim.x) * length;
    if (i < in.end) loop.template turn<in_flight>(in, i, add);
  }
  add_single(in, own_share.first_thread(), two, add);
}

/// Prepares the next launch. By one thread of the last block, when all tickets are drawn: no block claims any more.
__device__ __forceinline__ void clear_claims(wide_unsigned& counter) {
  __nv_atomic_store_n(&counter, 0ULL, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
