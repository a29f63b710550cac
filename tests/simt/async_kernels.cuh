// Correct kernels with clusters, mbarriers and asynchronous copies, for tests on the simulator and on a GPU.
//
// Each function sums 0 + 1 + … + n − 1, and returns the sum modulo 2^32.
#pragma once

#include <exactdot/simt/async.hpp>
#include <exactdot/simt/cluster.hpp>
#include <exactdot/simt/cuda.hpp>
#include <vector>

namespace async_kernels {

namespace gpu = exactdot::gpu;

/// Each block sums its share. Each rank reads the sum of the next and adds it to the total of rank 0.
__global__ void cluster_sum(const unsigned* x, unsigned n, unsigned* out) {
  __shared__ unsigned block_sum, total;
  const unsigned rank = gpu::cluster_block_rank(), ranks = gpu::cluster_num_blocks();
  if (threadIdx.x == 0) block_sum = 0, total = 0;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  atomicAdd(&block_sum, sum);
  gpu::cluster_sync();  // every sum is complete
  if (threadIdx.x == 0) {
    const unsigned next = *gpu::map_shared_rank(&block_sum, (rank + 1) % ranks);
    atomicAdd(gpu::map_shared_rank(&total, 0), next);
  }
  gpu::cluster_sync();  // the total is complete, and no block ends before
  if (rank == 0 && threadIdx.x == 0) atomicAdd(out, total);
}

/// The same by dynamic shared memory, plain writes, and a barrier that is split in arrival and wait.
__global__ void cluster_sum_by_slots(const unsigned* x, unsigned n, unsigned* out) {
  unsigned* const slots = gpu::dynamic_shared<unsigned>();  // of rank 0: one per thread of the cluster
  const unsigned rank = gpu::cluster_block_rank(), ranks = gpu::cluster_num_blocks();
  gpu::cluster_arrive_relaxed();
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  gpu::cluster_wait();  // every block has started
  gpu::map_shared_rank(slots, 0)[rank * blockDim.x + threadIdx.x] = sum;
  gpu::cluster_arrive();
  gpu::cluster_wait();
  if (rank != 0) return;
  sum = 0;
  for (unsigned i = 0; i < ranks; ++i) sum += slots[i * blockDim.x + threadIdx.x];
  atomicAdd(out, sum);
}

constexpr unsigned tile = 128, stages = 3;

/// Warp 0 copies tiles to a ring of buffers; the other warps sum them. Each stage has an mbarrier for "full", which
/// counts bytes, and one for "empty", which counts consumers.
__global__ void pipeline_sum(const unsigned* x, unsigned tiles, unsigned* out) {
  __shared__ __align__(16) unsigned buffers[stages][tile];
  __shared__ gpu::mbarrier full[stages], empty[stages];
  const unsigned consumers = blockDim.x - 32;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) {
      gpu::mbarrier_init(&full[s], 1);
      gpu::mbarrier_init(&empty[s], consumers);
    }
    gpu::fence_mbarrier_init();
  }
  __syncthreads();
  unsigned stage = 0, parity = 0, sum = 0;
  const auto advance = [&] {
    if (++stage == stages) stage = 0, parity ^= 1;
  };
  for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x, advance()) {
    if (threadIdx.x == 0) {
      while (!gpu::mbarrier_try_wait_parity(&empty[stage], parity ^ 1)) {
      }
      gpu::mbarrier_arrive_expect_tx(&full[stage], sizeof buffers[0]);
      gpu::cp_async_bulk(buffers[stage], x + i * tile, sizeof buffers[0], &full[stage]);
    } else if (threadIdx.x >= 32) {
      while (!gpu::mbarrier_try_wait_parity(&full[stage], parity)) {
      }
      for (unsigned j = threadIdx.x - 32; j < tile; j += consumers) sum += buffers[stage][j];
      gpu::mbarrier_arrive(&empty[stage]);
    }
  }
  if (threadIdx.x >= 32) atomicAdd(out, sum);
}

/// Two buffers: one is filled by cp.async while the other is summed. Each thread reads what its neighbour copied.
__global__ void double_buffer_sum(const unsigned* x, unsigned tiles, unsigned* out) {
  __shared__ __align__(16) unsigned buffers[2][4 * 64];  // blocks of 64 threads
  const auto copy = [&](unsigned i) {
    if (i < tiles)
      gpu::cp_async<16>(&buffers[i % 2][4 * threadIdx.x], x + (std::size_t{i} * blockDim.x + threadIdx.x) * 4);
    gpu::cp_async_commit_group();
  };
  unsigned sum = 0;
  copy(0);
  for (unsigned i = 0; i < tiles; ++i) {
    copy(i + 1);
    gpu::cp_async_wait_group<1>();
    __syncthreads();
    for (unsigned j = 0; j < 4; ++j) sum += buffers[i % 2][4 * (threadIdx.x ^ 1) + j];
    __syncthreads();
  }
  atomicAdd(out, sum);
}

/// One tile by cp.async of 4 and 8 bytes, whose completion an mbarrier counts; the waits are by state. Then the
/// sums travel through shared memory and a bulk copy to `parts`.
__global__ void copy_there_and_back(const unsigned* x, unsigned* parts) {
  __shared__ __align__(16) unsigned in[64 * 3], sums[64];
  __shared__ gpu::mbarrier bar;
  if (threadIdx.x == 0) gpu::mbarrier_init(&bar, 2 * blockDim.x);
  __syncthreads();
  const unsigned i = threadIdx.x;
  const unsigned* const from = x + std::size_t{blockIdx.x} * 192;
  gpu::cp_async<4>(&in[i], from + i);
  gpu::cp_async<8>(&in[64 + 2 * i], from + 64 + 2 * i);
  gpu::cp_async_mbarrier_arrive_noinc(&bar);
  const std::uint64_t state = gpu::mbarrier_arrive(&bar);
  while (!gpu::mbarrier_test_wait(&bar, state)) {
  }
  sums[i] = in[63 - i] + in[64 + i] + in[128 + i];
  gpu::fence_proxy_async();
  __syncthreads();
  if (i == 0) {
    gpu::cp_async_bulk(parts + std::size_t{blockIdx.x} * 64, sums, sizeof sums);
    gpu::cp_async_bulk_commit_group();
    gpu::cp_async_bulk_wait_group_read<0>();
  }
}

/// Rank 0 sends its share to rank 1 by a bulk copy between shared memories; rank 1 tells by a remote arrival that
/// it has read it.
__global__ void send_to_next_rank(const unsigned* x, unsigned* out) {
  __shared__ __align__(16) unsigned values[64];
  __shared__ gpu::mbarrier arrived, read;
  const unsigned i = threadIdx.x;
  if (i == 0) {
    gpu::mbarrier_init(&arrived, 1);
    gpu::mbarrier_init(&read, 64);
    gpu::fence_mbarrier_init();
  }
  const bool sends = gpu::cluster_block_rank() == 0;
  if (sends) values[i] = x[std::size_t{blockIdx.x / 2} * 64 + i];
  gpu::fence_proxy_async();
  gpu::cluster_sync();
  if (sends) {
    if (i == 0) {
      gpu::cp_async_bulk_remote(gpu::map_shared_rank(values, 1), values, sizeof values,
                                gpu::map_shared_rank(&arrived, 1));
    }
    while (!gpu::mbarrier_try_wait_parity(&read, 0)) {
    }
  } else {
    if (i == 0) gpu::mbarrier_arrive_expect_tx(&arrived, sizeof values);
    while (!gpu::mbarrier_try_wait_parity(&arrived, 0)) {
    }
    atomicAdd(out, values[63 - i]);
    gpu::mbarrier_arrive_remote(gpu::map_shared_rank(&read, 0));
  }
}

/// Numbers 0 to n − 1 in device memory, and a result that is zero at first.
struct sum_test {
  gpu::buffer<unsigned> x, out;
  unsigned n;
  sum_test(gpu::stream& stream, unsigned count, unsigned results = 1)
      : x(stream, count), out(stream, results), n(count) {
    std::vector<unsigned> numbers(count);
    for (unsigned i = 0; i < count; ++i) numbers[i] = i;
    x.copy_from(numbers.data(), count);
    out.fill_zero();
    gpu::synchronise(stream);
  }
  [[nodiscard]] unsigned result() const {
    std::vector<unsigned> all(out.size());
    out.copy_to(all.data(), all.size());
    unsigned sum = 0;
    for (const unsigned part : all) sum += part;
    return sum;
  }
  [[nodiscard]] bool is_right() const { return result() == static_cast<unsigned>(std::uint64_t{n} * (n - 1) / 2); }
};

/// Runs the kernels above. Returns the names of those whose sum is wrong.
inline std::vector<const char*> wrong_sums(gpu::stream& stream) {
  std::vector<const char*> wrong;
  const auto expect = [&](const char* name, const sum_test& test) {
    if (!test.is_right()) wrong.push_back(name);
  };
  {
    const sum_test test(stream, 1000);
    gpu::launch(cluster_sum, 8, 32, 0, gpu::cluster_dimensions{4}, stream, test.x.data(), test.n, test.out.data());
    expect("cluster_sum", test);
  }
  {
    const sum_test test(stream, 1000);
    gpu::launch(cluster_sum_by_slots, 4, 48, 2 * 48 * 4, gpu::cluster_dimensions{2}, stream, test.x.data(), test.n,
                test.out.data());
    expect("cluster_sum_by_slots", test);
  }
  {
    const sum_test test(stream, 17 * tile);
    gpu::launch(pipeline_sum, 2, 64 + 32, 0, stream, test.x.data(), 17U, test.out.data());
    expect("pipeline_sum", test);
  }
  {
    const sum_test test(stream, 5 * 256);
    gpu::launch(double_buffer_sum, 1, 64, 0, stream, test.x.data(), 5U, test.out.data());
    expect("double_buffer_sum", test);
  }
  {
    const sum_test test(stream, 2 * 192, 2 * 64);
    gpu::launch(copy_there_and_back, 2, 64, 0, stream, test.x.data(), test.out.data());
    expect("copy_there_and_back", test);
  }
  {
    const sum_test test(stream, 2 * 64);
    gpu::launch(send_to_next_rank, 4, 64, 0, gpu::cluster_dimensions{2}, stream, test.x.data(), test.out.data());
    expect("send_to_next_rank", test);
  }
  return wrong;
}

}  // namespace async_kernels
