// cuda::barrier, cuda::pipeline, cuda::memcpy_async, __pipeline_* and cooperative_groups::memcpy_async, checked
// against their definitions; compiles with nvcc too (compute capability 8.0). Its argument chooses a program that
// is wrong: `early` reads a copy before the wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int threads = 64, rounds = 5;

__device__ void expect(int* failures, bool holds) {
  if (!holds) atomicAdd(failures, 1);
}

__global__ void arrive_and_wait(int* failures) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  __shared__ int value;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    value = 0;
  }
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0) value = i;
    block_barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    expect(failures, value == i);
    bar.arrive_and_wait();
  }
  if (threadIdx.x >= 32) {
    bar.arrive_and_drop();
  } else {
    bar.arrive_and_wait();
    if (threadIdx.x == 0) value = 100;
    bar.arrive_and_wait();  // of the first 32 threads
    expect(failures, value == 100);
  }
}

__global__ void copy_by_barrier(const int* x, int* failures) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier bar;
  __shared__ alignas(16) int tile[2 * threads];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  const auto block = cg::this_thread_block();
  cuda::memcpy_async(block, tile, x, cuda::aligned_size_t<16>(sizeof tile), bar);
  bar.arrive_and_wait();
  expect(failures, tile[2 * threads - 1 - threadIdx.x] == 2 * threads - 1 - int(threadIdx.x));
  bar.arrive_and_wait();
  cuda::memcpy_async(tile + threadIdx.x, x + threadIdx.x + 1, sizeof(int), bar);  // one element a thread
  bar.arrive_and_wait();
  expect(failures, tile[threads - 1 - threadIdx.x] == threads - int(threadIdx.x));
}

/// Copies of two stages, each summed while the next one is under way.
__global__ void copy_by_thread_pipeline(const int* x, int* failures) {
  __shared__ int stage[2][threads];
  auto pipe = cuda::make_pipeline();
  const auto fetch = [&](int round) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[round % 2][threadIdx.x], x + round * threads + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int i = 0; i < rounds; ++i) {
    if (i + 1 < rounds) fetch(i + 1);
    pipe.consumer_wait();
    expect(failures, stage[i % 2][threadIdx.x] == i * threads + int(threadIdx.x));
    pipe.consumer_release();
  }
}

__global__ void copy_by_block_pipeline(const int* x, int* failures, bool by_roles) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[2][threads];
  const auto block = cg::this_thread_block();
  const bool produces = !by_roles || threadIdx.x < 32, consumes = !by_roles || threadIdx.x >= 32;
  auto pipe = by_roles
                  ? cuda::make_pipeline(block, &state,
                                        produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer)
                  : cuda::make_pipeline(block, &state);
  const int producers = by_roles ? 32 : threads;
  const auto fetch = [&](int round) {
    pipe.producer_acquire();
    for (int i = threadIdx.x; i < threads; i += producers)
      cuda::memcpy_async(&stage[round % 2][i], x + round * threads + i, sizeof(int), pipe);
    pipe.producer_commit();
  };
  if (produces) fetch(0);
  for (int i = 0; i < rounds; ++i) {
    if (produces && i + 1 < rounds) fetch(i + 1);
    if (!consumes) continue;
    pipe.consumer_wait();
    for (int j = 0; j < threads; ++j) expect(failures, stage[i % 2][j] == i * threads + j);
    pipe.consumer_release();
  }
}

__global__ void copy_by_primitives(const int* x, int* failures) {
  __shared__ alignas(16) int first[threads];
  __shared__ alignas(16) int second[threads];
  if (threadIdx.x < threads / 4) __pipeline_memcpy_async(first + 4 * threadIdx.x, x + 4 * threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(second + threadIdx.x, x + threads + threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  expect(failures, first[threads - 1 - threadIdx.x] == threads - 1 - int(threadIdx.x));
  __pipeline_wait_prior(0);
  expect(failures, second[threadIdx.x] == threads + int(threadIdx.x));
  __syncthreads();
  if (threadIdx.x % 4 == 0) __pipeline_memcpy_async(first + threadIdx.x, x + threads + threadIdx.x, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (threadIdx.x % 4 == 0) {
    expect(failures, first[threadIdx.x + 1] == threads + int(threadIdx.x) + 1);
    expect(failures, first[threadIdx.x + 2] == 0 && first[threadIdx.x + 3] == 0);
  }
}

__global__ void copy_by_group(const int* x, int* failures, bool waits) {
  __shared__ alignas(16) int tile[threads];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x, sizeof tile);
  if (waits) cg::wait(block);
  const int value = tile[threads - 1 - threadIdx.x];  // early
  expect(failures, value == threads - 1 - int(threadIdx.x) || !waits);
  if (!waits) cg::wait(block);
  block.sync();
  cg::memcpy_async(block, tile, threads, x + threads, threads);
  cg::wait(block);
  expect(failures, tile[threadIdx.x] == threads + int(threadIdx.x));
}

int main(int count, char** arguments) {
  const bool early = count > 1 && std::strcmp(arguments[1], "early") == 0;
  int host[rounds * threads], *x, *failures, failed = 0;
  for (int i = 0; i < rounds * threads; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&failures, sizeof(int));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(failures, 0, sizeof(int));
  if (!early) {
    arrive_and_wait<<<2, threads>>>(failures);
    copy_by_barrier<<<2, threads>>>(x, failures);
    copy_by_thread_pipeline<<<2, threads>>>(x, failures);
    copy_by_block_pipeline<<<2, threads>>>(x, failures, false);
    copy_by_block_pipeline<<<2, threads>>>(x, failures, true);
    copy_by_primitives<<<2, threads>>>(x, failures);
  }
  copy_by_group<<<2, threads>>>(x, failures, !early);
  cudaMemcpy(&failed, failures, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf(failed == 0 ? "all hold\n" : "%d do not hold\n", failed);
  return failed != 0;
}
