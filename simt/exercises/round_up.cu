//! title: How many blocks
//! topic: indices
//! call: void fill(int* x, int n, int value)
//! fails: Wrong result for n = 65: x\[64\]: expected 7, found no value
//! hint: n / 64 is rounded down. How many blocks does n = 65 need, and how many does it get?
//! hint: (n + 63) / 64 is rounded up.
//! hint: A launch of 0 blocks is an error of CUDA. What if there is nothing to do?
//! learnt: the number of blocks is n / block rounded up, (n + block - 1) / block, and without elements there is no launch.
// x[i] = value, for every i from 0 to n - 1. It works for 64, 128 and 640 elements: make it work for any n, 0 too. The
// kernel is right.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill_elements(int* x, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

// x is in the device's memory
void fill(int* x, int n, int value) {
  const int threads = 64;
#ifdef SOLUTION
  const int blocks = (n + threads - 1) / threads;
  if (blocks == 0) return;
#else
  const int blocks = n / threads;
#endif
  fill_elements<<<blocks, threads>>>(x, n, value);
}

int main() {
  const int n = 100;
  int* x;
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 0;
  fill(x, n, 7);
  cudaDeviceSynchronize();
  std::printf("x[0] = %d, x[99] = %d\n", x[0], x[99]);
  cudaFree(x);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {64, 128, 65, 63, 1, 127, 1000, 0}) {
    begin_case(n);
    const device_array<int> x(static_cast<std::size_t>(n));
    fill(x, n, 7);
    expect_equal("x", x.values(), std::vector<int>(n, 7));
  }
}
#endif
