// Thread block clusters: the cluster's barrier, shared memory of other blocks, ranks.
#include <exactdot/simt/cluster.hpp>

#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race, divergence = fault_kind::barrier_divergence,
               absent = fault_kind::absent_block;

/// The neighbour's value is read after a barrier of the block alone.
template <bool faulty>
__global__ void block_barrier(arrays m) {
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x);  // fault: block_barrier
  if (faulty) {
    gpu::cluster_arrive_relaxed();
    __syncthreads();
    gpu::cluster_wait();
  } else {
    gpu::cluster_sync();
  }
  if (threadIdx.x == 0) {
    m.out[blockIdx.x] = *gpu::map_shared_rank(&value, gpu::cluster_block_rank() ^ 1U);  // fault: block_barrier
  }
  gpu::cluster_sync();
}

/// No barrier keeps the other block from ending.
template <bool faulty>
__global__ void block_that_ended(arrays m) {
  __shared__ int values[32];
  values[threadIdx.x] = m.in[threadIdx.x];
  gpu::cluster_sync();
  const int* const others =
      gpu::map_shared_rank(values, (gpu::cluster_block_rank() + 1) % gpu::cluster_num_blocks());
  m.out[blockIdx.x * 32 + threadIdx.x] = others[31 - threadIdx.x];  // fault: block_that_ended
  if (!faulty) gpu::cluster_sync();
}

/// A store to a block that may not have started.
template <bool faulty>
__global__ void block_that_has_not_started(arrays m) {
  int* const slots = gpu::dynamic_shared<int>();
  const unsigned rank = gpu::cluster_block_rank();
  if (!faulty) gpu::cluster_sync();
  if (threadIdx.x == 0) {
    gpu::map_shared_rank(slots, rank ^ 1U)[0] = 5;  // fault: block_that_has_not_started
  }
  gpu::cluster_sync();
  if (threadIdx.x == 0) m.out[blockIdx.x] = slots[0];
}

/// One rank leaves without the barrier.
template <bool faulty>
__global__ void rank_that_leaves(arrays m) {
  m.out[blockIdx.x] = 1;  // fault: rank_that_leaves
  if (faulty && gpu::cluster_block_rank() == 2) return;
  gpu::cluster_sync();  // fault: rank_that_leaves
}

template <bool faulty>
__global__ void half_of_the_threads(arrays m) {
  if (!faulty || threadIdx.x < 32) {
    gpu::cluster_sync();  // fault: half_of_the_threads
  }
  m.out[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // fault: half_of_the_threads
}

template <bool faulty>
__global__ void two_arrivals(arrays m) {
  gpu::cluster_arrive();
  if (!faulty) gpu::cluster_wait();
  gpu::cluster_arrive();  // fault: two_arrivals
  gpu::cluster_wait();
  m.out[blockIdx.x] = 1;
}

template <bool faulty>
__global__ void wait_without_arrival(arrays m) {
  if (!faulty) gpu::cluster_arrive();
  gpu::cluster_wait();  // fault: wait_without_arrival
  m.out[blockIdx.x] = 1;
}

/// All ranks add to a word of rank 0.
template <int kind>
__global__ void count_in_rank_0(arrays m) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  gpu::cluster_sync();
  int* const total = gpu::map_shared_rank(&count, 0);
  if (kind == 0) atomicAdd(total, 1);
  if (kind == 1 && threadIdx.x == 0) *total += 1;  // fault: plain_count_in_rank_0
  if (kind == 2) atomicAdd_block(total, 1);        // fault: block_scope_in_rank_0
  gpu::cluster_sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) m.out[0] = count;
}

/// A flag in the other block's shared memory.
template <bool faulty>
__global__ void flag_of_another_block(arrays m) {
  __shared__ int word, flag;
  if (threadIdx.x == 0) flag = 0;
  gpu::cluster_sync();
  if (threadIdx.x == 0 && gpu::cluster_block_rank() == 0) {
    *gpu::map_shared_rank(&word, 1) = 7;  // fault: flag_of_another_block
    if (!faulty) __threadfence();
    atomicExch(gpu::map_shared_rank(&flag, 1), 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    m.out[0] = word;  // fault: flag_of_another_block
  }
  gpu::cluster_sync();
}

template <bool faulty>
__global__ void rank_outside(arrays m) {
  __shared__ int value;
  value = 1;
  gpu::cluster_sync();
  const unsigned rank = faulty ? 2 : gpu::cluster_block_rank() ^ 1U;
  m.out[blockIdx.x] = *gpu::map_shared_rank(&value, rank);  // fault: rank_outside
  gpu::cluster_sync();
}

/// An index beyond the other block's dynamic shared memory.
template <bool faulty>
__global__ void index_in_another_block(arrays m) {
  int* const values = gpu::dynamic_shared<int>();
  values[threadIdx.x] = m.in[threadIdx.x];
  gpu::cluster_sync();
  const int* const others = gpu::map_shared_rank(values, gpu::cluster_block_rank() ^ 1U);
  m.out[blockIdx.x * 32 + threadIdx.x] = others[threadIdx.x + (faulty ? 1 : 0)];  // fault: index_in_another_block
  gpu::cluster_sync();
}

/// A word of the other block that nobody has stored.
template <bool faulty>
__global__ void unwritten_in_another_block(arrays m) {
  __shared__ int value;
  if (!faulty || gpu::cluster_block_rank() == 0) value = 3;
  gpu::cluster_sync();
  const int* const other = gpu::map_shared_rank(&value, gpu::cluster_block_rank() ^ 1U);
  m.out[blockIdx.x] = *other;  // fault: unwritten_in_another_block
  gpu::cluster_sync();
}

/// Halves exchange buffers in rounds; the barrier of a round keeps the next store from overtaking the reads.
template <bool faulty>
__global__ void rounds(arrays m) {
  __shared__ int slot[32];
  const unsigned other = gpu::cluster_block_rank() ^ 1U;
  int x = m.in[blockIdx.x * 32 + threadIdx.x];
  for (int round = 0; round < 3; ++round) {
    slot[threadIdx.x] = x;  // fault: rounds
    gpu::cluster_sync();
    x += gpu::map_shared_rank(slot, other)[31 - threadIdx.x];  // fault: rounds
    if (!faulty) gpu::cluster_sync();
  }
  gpu::cluster_sync();
  m.out[blockIdx.x * 32 + threadIdx.x] = x;
}

/// The cluster's histogram: the bins are spread over the ranks.
__global__ void distributed_histogram(arrays m) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  gpu::cluster_sync();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < arrays::n; i += gridDim.x * blockDim.x) {
    const unsigned bin = static_cast<unsigned>(m.in[i]) % 16;
    atomicAdd(gpu::map_shared_rank(bins, bin / 4) + bin % 4, 1);
  }
  gpu::cluster_sync();
  if (threadIdx.x < 4) atomicAdd(&m.zeros[gpu::cluster_block_rank() * 4 + threadIdx.x], bins[threadIdx.x]);
}

/// An arrival, work that no other block sees, then the wait.
__global__ void split_barrier(arrays m) {
  __shared__ int value;
  if (threadIdx.x == 0) value = static_cast<int>(gpu::cluster_block_rank()) + 1;
  gpu::cluster_arrive();
  int sum = 0;
  for (unsigned i = threadIdx.x; i < 100; i += blockDim.x) sum += m.in[i];
  gpu::cluster_wait();
  if (threadIdx.x == 0) {
    sum = 0;
    for (unsigned rank = 0; rank < gpu::cluster_num_blocks(); ++rank) {
      sum += rank == gpu::cluster_block_rank() ? value : *gpu::map_shared_rank(&value, rank);
    }
    m.out[blockIdx.x] = sum;
  }
  gpu::cluster_sync();
}

const family table =
    family("clusters", __FILE__)
        .pair("block_barrier", block_barrier<true>, block_barrier<false>, race,
              {.grid = 4, .block = 32, .cluster = 2, .result = 1})
        .pair("block_that_ended", block_that_ended<true>, block_that_ended<false>, absent,
              {.grid = 4, .block = 32, .cluster = 4, .result = 31})
        .pair("block_that_has_not_started", block_that_has_not_started<true>, block_that_has_not_started<false>,
              absent, {.grid = 4, .block = 32, .cluster = 2, .shared = 16, .result = 5})
        .pair("rank_that_leaves", rank_that_leaves<true>, rank_that_leaves<false>, divergence,
              {.grid = 4, .cluster = 4, .result = 1})
        .pair("half_of_the_threads", half_of_the_threads<true>, half_of_the_threads<false>, divergence,
              {.grid = 2, .block = 64, .cluster = 2, .result = 1})
        .pair("two_arrivals", two_arrivals<true>, two_arrivals<false>, divergence,
              {.grid = 2, .cluster = 2, .result = 1})
        .pair("wait_without_arrival", wait_without_arrival<true>, wait_without_arrival<false>, divergence,
              {.grid = 2, .cluster = 2, .result = 1})
        .pair("plain_count_in_rank_0", count_in_rank_0<1>, count_in_rank_0<0>, race,
              {.grid = 4, .block = 32, .cluster = 4, .result = 128})
        .faulty("block_scope_in_rank_0", count_in_rank_0<2>, race, {.grid = 4, .block = 32, .cluster = 4})
        .pair("flag_of_another_block", flag_of_another_block<true>, flag_of_another_block<false>, race,
              {.grid = 2, .block = 32, .cluster = 2, .result = 7})
        .pair("rank_outside", rank_outside<true>, rank_outside<false>, fault_kind::out_of_bounds,
              {.grid = 2, .cluster = 2, .result = 1})
        .pair("index_in_another_block", index_in_another_block<true>, index_in_another_block<false>,
              fault_kind::out_of_bounds, {.grid = 2, .block = 32, .cluster = 2, .shared = 128, .result = 0})
        .pair("unwritten_in_another_block", unwritten_in_another_block<true>, unwritten_in_another_block<false>,
              fault_kind::uninitialised_shared, {.grid = 2, .cluster = 2, .result = 3})
        .pair("rounds", rounds<true>, rounds<false>, race, {.grid = 2, .block = 32, .cluster = 2})
        .correct("distributed_histogram", distributed_histogram, {.grid = 4, .block = 32, .cluster = 4})
        .correct("split_barrier", split_barrier, {.grid = 4, .block = 32, .cluster = 4, .result = 10});

}  // namespace
