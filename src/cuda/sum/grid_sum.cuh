// Messages of mode exact: the sum of a block, in one message of 16 bytes for each double of it. Every block reads
// those of all blocks and decides for itself; docs/experiments.md compares this with other ways.
//
// All blocks add the same numbers in the same order, so all decide alike. A block waits only until its deadline:
// some may have no multiprocessor to start on. The block of the last ticket has none; the others have started
// before it.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/tuning.hpp>
#include <cuda/sum/bounded_sum.cuh>
#include <exactdot/simt/cluster.hpp>

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

// The sum of a launch that is one thread block cluster: every warp stores its sum in the shared memory of
// every block, and after one barrier of the cluster every block adds all of them and decides for itself.
//
// All blocks add the same numbers in the same order, so all decide alike. The blocks of a cluster are resident
// together: no tickets, no deadline. Only if the rounding stays open, the cluster takes the ticket of a launch for
// the second level; then rank 0 is the last block.

/// Tells the cluster that this block has started. By all threads, before their loads; sum_of_cluster waits for it.
__device__ __forceinline__ void arrive_in_cluster() { gpu::cluster_arrive_relaxed(); }

/// Stores the sum of this warp, in its lane 0, to `slot` of every block. By all lanes, when all blocks have
/// started.
template <class Sum>
__device__ __forceinline__ void store_in_cluster(Sum x, Sum* slot) {
  x = shuffled(x, [](double part) { return __shfl_sync(all_lanes, part, 0); });
  const unsigned rank = threadIdx.x % 32;
  if (rank >= gridDim.x) return;
  copy_sum(x, rank == blockIdx.x ? *slot : *gpu::map_shared_rank(slot, rank));
}

/// The sum over the cluster of blocks of so many warps, in thread 0 of every block. `of_warp`: in shared memory,
/// for the warps of max_cluster_blocks blocks. By all threads, after arrive_in_cluster().
template <class Sum>
__device__ __forceinline__ Sum sum_of_cluster(Sum x, Sum* of_warp, unsigned warps) {
  x = sum_of_warp(x);
  gpu::cluster_wait();
  store_in_cluster(x, &of_warp[blockIdx.x * warps + threadIdx.x / 32]);
  gpu::cluster_sync();
  if (threadIdx.x >= 32) return x;
  const unsigned stored = gridDim.x * warps;
  Sum total{};
  if (threadIdx.x < stored) copy_sum(of_warp[threadIdx.x], total);
#pragma unroll
  for (unsigned i = 32; i < max_cluster_blocks * warps; i += 32) {
    if (i >= stored) break;
    Sum next{};
    if (i + threadIdx.x < stored) copy_sum(of_warp[i + threadIdx.x], next);
    total.join(next);
  }
  return sum_of_warp(total);
}

/// Takes the ticket of this launch for the second level, into a shared variable. By all threads of all blocks; a
/// barrier in between.
__device__ __forceinline__ void take_ticket_in_cluster(exchange& exchange, launch_ticket& ticket) {
  if (threadIdx.x == 0) {
    ticket = read_ticket(load_word(&exchange.tickets));
    ticket.is_last = blockIdx.x == 0;
  }
  gpu::cluster_sync();  // all blocks have read it
  if (threadIdx.x == 0 && ticket.is_last) reset_tickets(exchange, ticket);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
