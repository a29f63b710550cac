//! title: Wait for the others
//! topic: barriers
//! call: void reverse(const int* x, int* y, int n)
//! fails: data_race in shared memory.*no barrier between the two
//! hint: A thread reads a word of shared memory that another thread writes. Has the other one been there?
//! hint: The warps of a block run in any order. __syncthreads() waits for all threads of the block.
//! learnt: between a write to shared memory and the read by another thread of the block stands __syncthreads().
// y is x in the reverse order, through shared memory, by one block of 256 threads; n is at most 256.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void reverse_block(const int* x, int* y, int n) {
  __shared__ int tile[256];
  int i = threadIdx.x;
  if (i < n) tile[i] = x[i];
#ifdef SOLUTION
  __syncthreads();
#else
#endif
  if (i < n) y[i] = tile[n - 1 - i];
}

// x and y are in the device's memory
void reverse(const int* x, int* y, int n) { reverse_block<<<1, 256>>>(x, y, n); }

int main() {
  const int n = 200;
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i;
  reverse(x, y, n);
  cudaDeviceSynchronize();
  std::printf("y[0] = %d, y[199] = %d\n", y[0], y[199]);
  cudaFree(x);
  cudaFree(y);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {200, 256, 0, 1, 2, 33, 255}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), y(numbers.size());
    reverse(x, y, n);
    expect_equal("y", y.values(), std::vector<int>(numbers.rbegin(), numbers.rend()));
  }
}
#endif
