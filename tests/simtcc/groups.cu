// Cooperative groups, checked against their definitions; compiles with nvcc too.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct pair {
  double weight;
  int index;
};

__device__ void expect(int* failures, bool holds) {
  if (!holds) atomicAdd(failures, 1);
}

template <int size>
__device__ void check_tile(int* failures) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<size>(block);
  const int rank = tile.thread_rank(), first = block.thread_rank() - rank;
  expect(failures, tile.size() == size && int(tile.meta_group_rank()) == first / size);
  expect(failures, tile.shfl(int(block.thread_rank()), 0) == first);
  expect(failures, tile.shfl_xor(rank, size / 2) == (rank ^ (size / 2)));
  expect(failures, tile.shfl_down(rank, 1) == (rank + 1 < size ? rank + 1 : rank));
  expect(failures, tile.ballot(rank == size - 1) == 1u << (size - 1));
  expect(failures, tile.any(rank == 0) && tile.all(rank < size));
  expect(failures, cg::reduce(tile, rank, cg::plus<int>()) == size * (size - 1) / 2);
  expect(failures, cg::reduce(tile, rank, cg::greater<int>()) == size - 1);
  expect(failures, cg::inclusive_scan(tile, 1) == rank + 1);
  expect(failures, cg::exclusive_scan(tile, rank, cg::plus<int>()) == rank * (rank - 1) / 2);
  const pair other = tile.shfl(pair{rank * 0.5, rank}, size - 1);
  expect(failures, other.index == size - 1 && other.weight == (size - 1) * 0.5);
  tile.sync();
}

/// Tiles of several warps.
template <int size>
__global__ void large_tiles(int* failures) {
  __shared__ int values[256];
  __shared__ cg::block_tile_memory<256> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<size>(block);
  const int rank = tile.thread_rank(), first = block.thread_rank() - rank;
  expect(failures, tile.size() == size && int(tile.meta_group_rank()) == first / size);
  for (int i = 0; i < 3; ++i) {
    values[threadIdx.x] = rank + i;
    tile.sync();
    expect(failures, values[first + size - 1 - rank] == size - 1 - rank + i);
    tile.sync();
  }
  expect(failures, tile.shfl(int(block.thread_rank()), 40) == first + 40);
  expect(failures, tile.shfl(rank * 0.5, size - 1) == (size - 1) * 0.5);
  expect(failures, tile.any(rank == size - 1) && !tile.all(rank < 32) && tile.all(rank < size));
  expect(failures, cg::reduce(tile, rank, cg::plus<int>()) == size * (size - 1) / 2);
  expect(failures, cg::inclusive_scan(tile, 1) == rank + 1);
  expect(failures, cg::reduce(tile, rank * 0.5, cg::less<double>()) == 0);
}

__global__ void groups(int* failures, int* count) {
  check_tile<1>(failures);
  check_tile<4>(failures);
  check_tile<32>(failures);
  const cg::thread_block block = cg::this_thread_block();
  expect(failures, block.size() == 96 && block.group_index().x == blockIdx.x && block.thread_rank() < 96);
  const cg::thread_group generic = cg::tiled_partition(block, 8);
  expect(failures, generic.size() == 8 && generic.thread_rank() == threadIdx.x % 8);
  generic.sync();
  if (threadIdx.x % 3 == 0) {  // one addition for all threads that are here together
    const cg::coalesced_group here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(count, int(here.size()));
    first = here.shfl(first, 0);
    expect(failures, first + int(here.thread_rank()) < 64);
    const int size = int(here.size()), rank = int(here.thread_rank());
    expect(failures, cg::reduce(here, rank, cg::plus<int>()) == size * (size - 1) / 2);
    expect(failures, here.shfl_down(rank, 1) == (rank + 1 < size ? rank + 1 : rank));
  }
  cg::sync(block);
}

__global__ void sum_in_two_steps(const int* x, int* partials, int* sum, int n) {
  extern __shared__ int words[];
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  int thread_sum = 0;
  for (int i = int(grid.thread_rank()); i < n; i += int(grid.size())) thread_sum += x[i];
  words[threadIdx.x] = thread_sum;
  block.sync();
  if (threadIdx.x == 0) {
    for (int i = 1; i < int(blockDim.x); ++i) words[0] += words[i];
    partials[blockIdx.x] = words[0];
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (int i = 0; i < int(gridDim.x); ++i) total += partials[i];
    *sum = total;
  }
  grid.sync();
  if (threadIdx.x == 0 && *sum != n) printf("block %u: %d\n", blockIdx.x, *sum);
}

int main() {
  const int n = 3000, blocks = 12, threads = 64;
  int *failures, *count, *x, *partials, *sum, host[n];
  for (int& value : host) value = 1;
  cudaMalloc(&failures, sizeof(int));
  cudaMalloc(&count, sizeof(int));
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&partials, blocks * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(failures, 0, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  groups<<<2, 96>>>(failures, count);
  large_tiles<64><<<2, 256>>>(failures);
  large_tiles<256><<<2, 256>>>(failures);
  int failed = -1, counted = 0, total = 0;
  cudaMemcpy(&failed, failures, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&counted, count, sizeof(int), cudaMemcpyDeviceToHost);
  int length = n;
  void* arguments[] = {&x, &partials, &sum, &length};
  cudaError_t error =
      cudaLaunchCooperativeKernel((void*)sum_in_two_steps, blocks, threads, arguments, threads * sizeof(int));
  if (error == cudaSuccess) error = cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost);
  const bool too_large = cudaLaunchCooperativeKernel((void*)sum_in_two_steps, 1 << 20, threads, arguments,
                                                     threads * sizeof(int)) == cudaErrorCooperativeLaunchTooLarge;
  cudaGetLastError();
  const bool holds = failed == 0 && counted == 64 && total == n && too_large && error == cudaSuccess;
  std::printf("%d failed, %d counted, sum %d, %s\n%s\n", failed, counted, total, cudaGetErrorString(error),
              holds ? "all hold" : "failed");
  return holds ? 0 : 1;
}
