// Messages of mode exact: the sum of a block, in one message of 16 bytes for each double of it. Every block reads
// those of all blocks and decides for itself; docs/experiments.md compares this with other ways.
//
// All blocks add the same numbers in the same order, so all decide alike. A block waits only until its deadline:
// some may have no multiprocessor to start on. The block of the last ticket has none; the others have started
// before it.
#pragma once

#include <cuda/bounded_sum.cuh>
#include <cuda/exchange.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// By one thread. Sum, here and below: a bounded sum or an expansion.
template <class Sum, int columns>
__device__ __forceinline__ void publish(const Sum& sum, message_board<columns>& board, unsigned flag) {
#pragma unroll
  for (int k = 0; k < Sum::parts; ++k) {
    store_message(&board.part[k].of_block[blockIdx.x], {sum.part(k), k == 0 ? upper_word(sum.error) : 0, flag});
  }
}

/// The sum of all messages, in lane 0; *late becomes 1 if not all came until the clock showed `deadline`. By one
/// warp.
template <class Sum, int columns>
__device__ __forceinline__ Sum sum_of_messages(const message_board<columns>& board, unsigned flag,
                                               long long deadline, unsigned* late) {
  constexpr int at_once = Sum::parts <= 2 ? 5 : 2;  // blocks whose messages a lane waits for
  Sum total{};
  for (unsigned start = threadIdx.x; __any_sync(all_lanes, start < gridDim.x); start += 32 * at_once) {
    message part[at_once][Sum::parts];
    for (;;) {
      bool missing = false;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned block = start + 32 * static_cast<unsigned>(k);
#pragma unroll
        for (int i = 0; i < Sum::parts; ++i) {
          part[k][i] = {0, 0, flag};
          if (block < gridDim.x) part[k][i] = load_message(&board.part[i].of_block[block]);
        }
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
#pragma unroll
        for (int i = 0; i < Sum::parts; ++i) missing |= part[k][i].flag != flag;
      }
      if (!__any_sync(all_lanes, missing)) break;
      if (__any_sync(all_lanes, clock64() > deadline)) {
        if (threadIdx.x == 0) *late = 1;
        return total;
      }
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (k > 0 && gridDim.x <= 32 * static_cast<unsigned>(k)) continue;
      Sum next{};
#pragma unroll
      for (int i = 0; i < Sum::parts; ++i) next.part(i) = part[k][i].value;
      next.error = from_upper_word(part[k][0].error_word);
      total.join(next);
    }
  }
  return sum_of_warp(total);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
