// Messages of mode exact: the bounded sum of a block, in one message of 16 bytes if it is plain, else two. Every
// block reads those of all blocks and decides for itself; docs/experiments.md compares this with other ways.
//
// All blocks add the same numbers in the same order, so all decide alike. A block waits only until its deadline:
// some may have no multiprocessor to start on. The block of the last ticket has none; the others have started
// before it.
#pragma once

#include <cuda/bounded_sum.cuh>
#include <cuda/exchange.cuh>

namespace exactdot::cuda_engine {
namespace {

/// By one thread.
template <bool compensated>
__device__ __forceinline__ void publish(const bounded_sum<compensated>& sum, message_board& board, unsigned flag) {
  store_message(&board.sum[blockIdx.x], {sum.sum, upper_word(sum.error), flag});
  if constexpr (compensated) store_message(&board.correction[blockIdx.x], {sum.correction, 0, flag});
}

/// Messages that a lane waits for at once.
constexpr int messages_per_lane = 5;

/// The sum of all messages, in lane 0; *late becomes 1 if not all came until the clock showed `deadline`. By one
/// warp.
template <bool compensated>
__device__ __forceinline__ bounded_sum<compensated> sum_of_messages(const message_board& board, unsigned flag,
                                                                    long long deadline, unsigned* late) {
  bounded_sum<compensated> total{};
  for (unsigned start = threadIdx.x; __any_sync(all_lanes, start < gridDim.x); start += 32 * messages_per_lane) {
    message sum[messages_per_lane], correction[messages_per_lane];
    for (;;) {
      bool missing = false;
#pragma unroll
      for (int k = 0; k < messages_per_lane; ++k) {
        const unsigned block = start + 32 * static_cast<unsigned>(k);
        sum[k] = correction[k] = {0, 0, flag};
        if (block >= gridDim.x) continue;
        sum[k] = load_message(&board.sum[block]);
        if constexpr (compensated) correction[k] = load_message(&board.correction[block]);
      }
#pragma unroll
      for (int k = 0; k < messages_per_lane; ++k) missing |= (sum[k].flag != flag) | (correction[k].flag != flag);
      if (!__any_sync(all_lanes, missing)) break;
      if (__any_sync(all_lanes, clock64() > deadline)) {
        if (threadIdx.x == 0) *late = 1;
        return total;
      }
    }
#pragma unroll
    for (int k = 0; k < messages_per_lane; ++k) {
      if (k == 0 || gridDim.x > 32 * static_cast<unsigned>(k)) {
        total.join({sum[k].value, correction[k].value, from_upper_word(sum[k].error_word)});
      }
    }
  }
  return sum_of_warp(total);
}

}  // namespace
}  // namespace exactdot::cuda_engine
