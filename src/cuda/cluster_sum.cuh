// The sum of a launch that is one thread block cluster: every warp stores its sum in the shared memory of
// every block, and after one barrier of the cluster every block adds all of them and decides for itself.
//
// All blocks add the same numbers in the same order, so all decide alike. The blocks of a cluster are resident
// together: no tickets, no deadline. Only if the rounding stays open, the cluster takes the ticket of a launch for
// the second level; then rank 0 is the last block.
#pragma once

#include <cuda/bounded_sum.cuh>
#include <cuda/exchange.cuh>
#include <cuda/kernel_variant.hpp>
#include <exactdot/simt/cluster.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

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
