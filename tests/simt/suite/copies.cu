// Asynchronous copies: waits, sources, proxy fences, bounds; by cp.async and in bulk.
#include <exactdot/simt/async.hpp>
#include <exactdot/simt/cluster.hpp>

#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

/// A word by each thread. 1: no wait; 2: a wait but no barrier before the neighbour's word is read.
template <int fault>
__global__ void word_by_thread(arrays m) {
  __shared__ int words[64];
  gpu::cp_async<4>(&words[threadIdx.x], m.in + threadIdx.x);  // fault: no_wait, no_barrier
  if (fault != 1) gpu::cp_async_wait_all();
  if (fault != 2) __syncthreads();
  m.out[threadIdx.x] = words[63 - threadIdx.x];  // fault: no_wait, no_barrier
  if (fault == 1) gpu::cp_async_wait_all();
}

/// Tiles of 4 x 64 words in two buffers: one is filled while the other is summed. 1: the wait leaves the newest
/// group and the one before; 2: the barrier at the end of a round is missing.
template <int fault>
__global__ void double_buffer(arrays m) {
  __shared__ __align__(16) int buffers[2][256];
  const unsigned tiles = 3;
  const auto fetch = [&](unsigned i) {
    if (i < tiles) {
      int* const to = &buffers[i % 2][4 * threadIdx.x];
      gpu::cp_async<16>(to, m.in + i * 256 + 4 * threadIdx.x);  // fault: buffers_*
    }
    gpu::cp_async_commit_group();
  };
  int sum = 0;
  fetch(0);
  for (unsigned i = 0; i < tiles; ++i) {
    fetch(i + 1);
    gpu::cp_async_wait_group<fault == 1 ? 2 : 1>();
    __syncthreads();
    for (unsigned j = 0; j < 4; ++j) {
      sum += buffers[i % 2][(4 * threadIdx.x + j) ^ 128];  // fault: buffers_*
    }
    if (fault != 2) __syncthreads();
  }
  atomicAdd(m.zeros, sum);
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = atomicAdd(m.zeros, 0);
  gpu::cp_async_wait_all();
}

/// The source is overwritten while the copy may still read it.
template <bool faulty>
__global__ void source_overwritten(arrays m) {
  __shared__ int words[64];
  gpu::cp_async<4>(&words[threadIdx.x], m.zeros + threadIdx.x);  // fault: source_overwritten
  if (!faulty) gpu::cp_async_wait_all();
  m.zeros[threadIdx.x] = 1;  // fault: source_overwritten
  gpu::cp_async_wait_all();
  m.out[threadIdx.x] = words[threadIdx.x];
}

/// The target is written before the copy is complete.
template <bool faulty>
__global__ void target_overwritten(arrays m) {
  __shared__ int words[64];
  gpu::cp_async<4>(&words[threadIdx.x], m.in + threadIdx.x);  // fault: target_overwritten
  if (!faulty) gpu::cp_async_wait_all();
  words[threadIdx.x] = 1;  // fault: target_overwritten
  gpu::cp_async_wait_all();
  m.out[threadIdx.x] = words[threadIdx.x];
}

/// The copy of another thread: its wait does not help this one.
template <bool faulty>
__global__ void wait_of_another_thread(arrays m) {
  __shared__ __align__(16) int words[64];
  if (threadIdx.x < 16) {
    gpu::cp_async<16>(&words[4 * threadIdx.x], m.in + 4 * threadIdx.x);  // fault: wait_of_another_thread
  }
  gpu::cp_async_commit_group();
  if (!faulty || threadIdx.x >= 16) gpu::cp_async_wait_group<0>();
  __syncthreads();
  m.out[threadIdx.x] = words[threadIdx.x];  // fault: wait_of_another_thread
  gpu::cp_async_wait_all();
}

/// Unwritten global memory as the source of a copy.
template <bool faulty>
__global__ void unwritten_source(arrays m) {
  __shared__ int words[32];
  gpu::cp_async<4>(&words[threadIdx.x], (faulty ? m.scratch : m.in) + threadIdx.x);  // fault: unwritten_source
  gpu::cp_async_wait_all();
  m.out[threadIdx.x] = words[threadIdx.x];
}

/// The last tile is copied beyond the end of the input.
template <bool faulty>
__global__ void ragged_tile(arrays m) {
  __shared__ __align__(16) int words[4];
  const int first = static_cast<int>(blockIdx.x) * 4;
  if (!faulty && first + 4 > arrays::n) {
    for (int i = first; i < arrays::n; ++i) gpu::cp_async<4>(&words[i - first], m.in + i);
  } else {
    gpu::cp_async<16>(words, m.in + first);  // fault: ragged_tile
  }
  gpu::cp_async_wait_all();
  m.out[blockIdx.x] = words[0];
}

template <bool faulty>
__global__ void target_outside(arrays m) {
  int* const words = gpu::dynamic_shared<int>();
  gpu::cp_async<4>(words + threadIdx.x + (faulty ? 1 : 0), m.in + threadIdx.x);  // fault: target_outside
  gpu::cp_async_wait_all();
  __syncthreads();
  m.out[threadIdx.x] = words[threadIdx.x == 0 && faulty ? 1 : threadIdx.x];  // fault: target_outside
}

__device__ void await(gpu::mbarrier* bar) {
  while (!gpu::mbarrier_try_wait_parity(bar, 0)) {
  }
}
__device__ void begin(gpu::mbarrier* bar) {
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(bar, 1);
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
}

/// A tile in bulk. 1: it is read before the wait; 2: the target was written without a proxy fence; 3: the block
/// ends without a wait.
template <int fault>
__global__ void bulk_tile(arrays m) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  words[threadIdx.x] = 0;  // fault: tile_without_proxy_fence
  if (fault != 2) gpu::fence_proxy_async();
  begin(&bar);
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::cp_async_bulk(words, m.in, 256, &bar);  // fault: tile_*
  }
  if (fault != 1 && fault != 3) await(&bar);
  if (fault != 3) m.out[threadIdx.x] = words[63 - threadIdx.x];  // fault: tile_without_wait
  if (fault == 1) await(&bar);
}

/// Results in shared memory go back in bulk. 1: no proxy fence; 2: no barrier; 3: the source is reused before it is
/// read; 4: the block ends before it is read.
template <int fault>
__global__ void bulk_store(arrays m) {
  __shared__ __align__(16) int words[64];
  words[threadIdx.x] = m.in[threadIdx.x];  // fault: store_without_proxy_fence, store_without_barrier
  if (fault != 1) gpu::fence_proxy_async();
  if (fault != 2) __syncthreads();
  if (threadIdx.x == 0) {
    gpu::cp_async_bulk(m.out, words, 256);  // fault: store_*
    gpu::cp_async_bulk_commit_group();
    if (fault == 3) words[5] = 1;  // fault: store_source_reused
    if (fault != 4) gpu::cp_async_bulk_wait_group_read<0>();
  }
}

/// The target of a bulk store is read in the same kernel.
template <bool faulty>
__global__ void store_read_back(arrays m) {
  __shared__ __align__(16) int words[4];
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 4; ++i) words[i] = i + 1;
  gpu::fence_proxy_async();
  gpu::cp_async_bulk(m.scratch, words, 16);  // fault: read_back
  gpu::cp_async_bulk_commit_group();
  if (faulty) {
    gpu::cp_async_bulk_wait_group_read<0>();
  } else {
    gpu::cp_async_bulk_wait_group<0>();
  }
  m.out[0] = m.scratch[3];  // fault: read_back
}

/// Global memory that the kernel itself wrote is the source of a bulk copy.
template <bool faulty>
__global__ void own_writes(arrays m) {
  __shared__ __align__(16) int words[64];
  __shared__ gpu::mbarrier bar;
  m.scratch[threadIdx.x] = m.in[threadIdx.x];  // fault: own_writes
  if (!faulty) gpu::fence_proxy_async();
  begin(&bar);
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, 256);
    gpu::cp_async_bulk(words, m.scratch, 256, &bar);  // fault: own_writes
  }
  await(&bar);
  m.out[threadIdx.x] = words[63 - threadIdx.x];
}

/// A bulk copy larger than its target.
template <bool faulty>
__global__ void bulk_outside(arrays m) {
  __shared__ __align__(16) int words[16];
  __shared__ gpu::mbarrier bar;
  begin(&bar);
  const int* const from = m.in + (faulty ? 992 : 900);
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, 64);
    gpu::cp_async_bulk(words, from, 64, &bar);  // fault: bulk_outside
  }
  await(&bar);
  if (threadIdx.x == 0) m.out[0] = words[0];
}

/// A copy to the other block of a cluster; the receiver reads it without a wait.
template <bool faulty>
__global__ void to_another_block(arrays m) {
  __shared__ __align__(16) int from[32], to[32];
  __shared__ gpu::mbarrier bar;
  from[threadIdx.x] = m.in[threadIdx.x];
  gpu::fence_proxy_async();
  begin(&bar);
  gpu::cluster_sync();
  const unsigned other = gpu::cluster_block_rank() ^ 1U;
  if (threadIdx.x == 0) {
    gpu::mbarrier_arrive_expect_tx(&bar, 128);
    auto* const other_bar = gpu::map_shared_rank(&bar, other);
    gpu::cp_async_bulk_remote(gpu::map_shared_rank(to, other), from, 128, other_bar);  // fault: to_another_block
  }
  if (!faulty) await(&bar);
  m.out[blockIdx.x * 32 + threadIdx.x] = to[31 - threadIdx.x];  // fault: to_another_block
  await(&bar);
  gpu::cluster_sync();
}

/// cp.async whose completion an mbarrier counts.
__global__ void counted_by_mbarrier(arrays m) {
  __shared__ int words[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 64);
  __syncthreads();
  gpu::cp_async<4>(&words[threadIdx.x], m.in + threadIdx.x);
  gpu::cp_async_mbarrier_arrive_noinc(&bar);
  await(&bar);
  m.out[threadIdx.x] = words[63 - threadIdx.x];
}

/// Three stages of cp.async with a ragged last tile.
__global__ void ragged_stages(arrays m) {
  __shared__ int stages[3][64];
  const int tiles = (arrays::n + 63) / 64, lane = static_cast<int>(threadIdx.x);
  const auto fetch = [&](int i) {
    if (i * 64 + lane < arrays::n) gpu::cp_async<4>(&stages[i % 3][lane], m.in + i * 64 + lane);
    gpu::cp_async_commit_group();
  };
  int sum = 0;
  fetch(0), fetch(1);
  for (int i = 0; i < tiles; ++i) {
    gpu::cp_async_wait_group<1>();
    __syncthreads();
    const int other = 63 - lane;
    if (i * 64 + other < arrays::n) sum += stages[i % 3][other];
    fetch(i + 2);
  }
  atomicAdd(m.zeros, sum);
  __syncthreads();
  if (lane == 0) m.out[0] = atomicAdd(m.zeros, 0);
}

const family table =
    family("asynchronous copies", __FILE__)
        .pair("no_wait", word_by_thread<1>, word_by_thread<0>, race, {.block = 64, .result = 63})
        .faulty("no_barrier", word_by_thread<2>, race, {.block = 64})
        .pair("buffers_newest_group", double_buffer<1>, double_buffer<0>, race,
              {.block = 64, .result = 768 * 767 / 2})
        .faulty("buffers_no_barrier", double_buffer<2>, race, {.block = 64})
        .pair("source_overwritten", source_overwritten<true>, source_overwritten<false>, race,
              {.block = 64, .result = 0})
        .pair("target_overwritten", target_overwritten<true>, target_overwritten<false>, race,
              {.block = 64, .result = 1})
        .pair("wait_of_another_thread", wait_of_another_thread<true>, wait_of_another_thread<false>, race,
              {.block = 64, .result = 0})
        .pair("unwritten_source", unwritten_source<true>, unwritten_source<false>, fault_kind::uninitialised_global,
              {.block = 32, .result = 0})
        .pair("ragged_tile", ragged_tile<true>, ragged_tile<false>, fault_kind::out_of_bounds,
              {.grid = 251, .result = 0})
        .pair("target_outside", target_outside<true>, target_outside<false>, fault_kind::out_of_bounds,
              {.block = 32, .shared = 128, .result = 0})
        .pair("tile_without_wait", bulk_tile<1>, bulk_tile<0>, race, {.block = 64, .result = 63})
        .faulty("tile_without_proxy_fence", bulk_tile<2>, fault_kind::missing_proxy_fence, {.block = 64})
        .faulty("tile_not_awaited", bulk_tile<3>, fault_kind::absent_block, {.block = 64})
        .pair("store_without_proxy_fence", bulk_store<1>, bulk_store<0>, fault_kind::missing_proxy_fence,
              {.block = 64, .result = 0})
        .faulty("store_without_barrier", bulk_store<2>, race, {.block = 64})
        .faulty("store_source_reused", bulk_store<3>, race, {.block = 64})
        .faulty("store_not_awaited", bulk_store<4>, fault_kind::absent_block, {.block = 64})
        .pair("read_back", store_read_back<true>, store_read_back<false>, race, {.block = 32, .result = 4})
        .pair("own_writes", own_writes<true>, own_writes<false>, fault_kind::missing_proxy_fence,
              {.block = 64, .result = 63})
        .pair("bulk_outside", bulk_outside<true>, bulk_outside<false>, fault_kind::out_of_bounds,
              {.block = 32, .result = 900})
        .pair("to_another_block", to_another_block<true>, to_another_block<false>, race,
              {.grid = 2, .block = 32, .cluster = 2, .result = 31})
        .correct("counted_by_mbarrier", counted_by_mbarrier, {.block = 64, .result = 63})
        .correct("ragged_stages", ragged_stages, {.block = 64, .result = arrays::sum});

}  // namespace
