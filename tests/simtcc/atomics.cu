// cuda::atomic and cuda::atomic_ref, checked against their definitions; compiles with nvcc too. Its argument
// chooses a program that is wrong: `relaxed` publishes data without order.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <cuda/atomic>

using flag_type = cuda::atomic<int, cuda::thread_scope_device>;

__device__ void expect(int* failures, bool holds) {
  if (!holds) atomicAdd(failures, 1);
}

__global__ void operations(int* failures, int* word, float* sum) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> counter;
  if (threadIdx.x == 0) counter.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  const unsigned old = counter.fetch_add(2, cuda::memory_order_relaxed);
  expect(failures, old < 3 * blockDim.x);
  ++counter;
  __syncthreads();
  expect(failures, counter.load() == 3 * blockDim.x && counter == 3 * blockDim.x);
  cuda::atomic_ref<int, cuda::thread_scope_device> shared_by_blocks(*word);
  shared_by_blocks.fetch_max(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
  cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f, cuda::memory_order_relaxed);
  int expected = -5;
  expect(failures, !shared_by_blocks.compare_exchange_strong(expected, 1) && expected >= 0);
}

/// Block 0 publishes a word to the others.
__global__ void publish(int* data, flag_type* flag, int* out, bool ordered) {
  if (blockIdx.x == 0) {
    *data = 7;
    flag->store(1, ordered ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (flag->load(ordered ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    out[blockIdx.x] = *data;  // unordered
  }
}
__global__ void publish_by_fences(int* data, flag_type* flag, int* out) {
  if (blockIdx.x == 0) {
    *data = 8;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    flag->store(2, cuda::memory_order_relaxed);
  } else {
    flag->wait(1, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[blockIdx.x] = *data;
  }
}

int main(int count, char** arguments) {
  const bool relaxed = count > 1 && std::strcmp(arguments[1], "relaxed") == 0;
  int *failures, *word, *out;
  float* sum;
  flag_type* flag;
  cudaMalloc(&failures, sizeof(int));
  cudaMalloc(&word, 2 * sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMalloc(&sum, sizeof(float));
  cudaMalloc(&flag, sizeof(flag_type));
  cudaMemset(failures, 0, sizeof(int));
  cudaMemset(word, 0, 2 * sizeof(int));
  cudaMemset(out, 0, 4 * sizeof(int));
  cudaMemset(sum, 0, sizeof(float));
  cudaMemset(flag, 0, sizeof(flag_type));
  operations<<<3, 64>>>(failures, word, sum);
  publish<<<4, 1>>>(word + 1, flag, out, !relaxed);
  int host[4], failed = 0, largest = 0;
  float total = 0;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  failed += host[1] != 7 || host[3] != 7;
  if (!relaxed) {
    publish_by_fences<<<4, 1>>>(word + 1, flag, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    failed += host[1] != 8 || host[3] != 8;
  }
  int in_kernels = 0;
  cudaMemcpy(&in_kernels, failures, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&largest, word, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&total, sum, sizeof(float), cudaMemcpyDeviceToHost);
  failed += in_kernels + (largest != 3 * 64 - 1) + (total != 96);
  std::printf(failed == 0 ? "all hold\n" : "%d do not hold\n", failed);
  return failed != 0;
}
