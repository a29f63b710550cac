//! title: A barrier is for all
//! topic: barriers
//! call: void rotate(const int* x, int* y, int n)
//! fails: barrier_divergence
//! hint: __syncthreads() waits for all threads of the block. Do all of them come to it?
//! hint: The threads without an element skip the barrier with all that is in the branch.
//! hint: Close the branch before the barrier, and open a second one after it.
//! learnt: every thread of the block must pass the same barriers, so no barrier stands in a branch that some threads skip.
// y[i] = x[i + 1], and the last of y is the first of x; by one block of 128 threads, n is at most 128.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void rotate_block(const int* x, int* y, int n) {
  __shared__ int tile[128];
  int i = threadIdx.x;
#ifdef SOLUTION
  if (i < n) tile[i] = x[i];
  __syncthreads();
  if (i < n) y[i] = tile[(i + 1) % n];
#else
  if (i < n) {
    tile[i] = x[i];
    __syncthreads();
    y[i] = tile[(i + 1) % n];
  }
#endif
}

// x and y are in the device's memory
void rotate(const int* x, int* y, int n) { rotate_block<<<1, 128>>>(x, y, n); }

int main() {
  const int n = 100;
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = -1;
  rotate(x, y, n);
  cudaDeviceSynchronize();
  std::printf("y[0] = %d, y[99] = %d\n", y[0], y[99]);
  cudaFree(x);
  cudaFree(y);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {128, 100, 0, 1, 31, 65}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    auto expected = numbers;
    for (int i = 0; i < n; ++i) expected[i] = numbers[(i + 1) % n];
    const device_array<int> x(numbers), y(numbers.size());
    rotate(x, y, n);
    expect_equal("y", y.values(), expected);
  }
}
#endif
