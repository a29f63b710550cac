//! title: A histogram of each block
//! topic: atomics
//! call: void histogram(const int* x, int n, int* counts)
//! fails: data_race in shared memory
//! hint: Several threads of a block may find the same value. What is bins[…]++ then?
//! hint: Atomic functions work on shared memory, too.
//! hint: When a block adds its bins to the counts, other blocks do the same with the same counts.
//! learnt: counting needs atomics wherever threads share the count; in shared memory they are cheap and one per bin and block is left.
// counts[v] = how many elements have the value v = 0 … 15. Each block counts in shared memory, then adds its bins to the counts.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_values(const int* x, int n, int* counts) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  if (i < n) atomicAdd(&bins[x[i]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
#else
  if (i < n) bins[x[i]]++;
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x] += bins[threadIdx.x];
#endif
}

// x and the 16 counts are in the device's memory
void histogram(const int* x, int n, int* counts) {
  cudaMemset(counts, 0, 16 * sizeof(int));
  count_values<<<n / 64 + 1, 64>>>(x, n, counts);
}

int main() {
  const int n = 160;
  int *x, *counts;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&counts, 16 * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i % 16;
  histogram(x, n, counts);
  cudaDeviceSynchronize();
  std::printf("each value is there 10 times; counted: %d, %d, …, %d\n", counts[0], counts[1], counts[15]);
  cudaFree(x);
  cudaFree(counts);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {200, 0, 1, 64, 65}) {
    begin_case(n);
    auto numbers = some_numbers(n, 16);
    for (int& number : numbers) --number;
    std::vector<int> expected(16);
    for (int number : numbers) ++expected[number];
    const device_array<int> x(numbers), counts(16);
    histogram(x, n, counts);
    expect_equal("counts", counts.values(), expected);
  }
}
#endif
