//! title: Warps of a block
//! topic: shuffles
//! call: void sum_block(const int* x, int n, int* out)
//! fails: uninitialised_shared in shared memory
//! hint: The first warp reads 32 words. How many warps does the block have, and how many words have they written?
//! hint: 128 threads are 4 warps: 4 words are written. The other lanes of the first warp must take 0 instead.
//! learnt: a second stage reads as many values as the first has written; the other lanes take a neutral value.
// *out = x[0] + … + x[n - 1], by one block of 128 threads; n is at most 128. Each warp adds by shuffles and leaves its sum in
// shared memory; the first warp adds these sums.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int sum_of_warp(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void sum_by_warps(const int* x, int n, int* out) {
  __shared__ int sums[32];
  int t = threadIdx.x;
  int sum = sum_of_warp(t < n ? x[t] : 0);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
#ifdef SOLUTION
    sum = sum_of_warp(t < blockDim.x / 32 ? sums[t] : 0);
#else
    sum = sum_of_warp(sums[t]);
#endif
    if (t == 0) *out = sum;
  }
}

// x and out are in the device's memory
void sum_block(const int* x, int n, int* out) { sum_by_warps<<<1, 128>>>(x, n, out); }

int main() {
  const int n = 100;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum_block(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 31, 32, 33, 65, 127, 128}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum_block(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
