//! title: Without shared memory
//! topic: shuffles
//! call: void sum_warp(const int* x, int n, int* out)
//! fails: Wrong result for n = 17: \*out: expected \d+, found
//! hint: __shfl_down_sync(mask, value, d) gives lane t the value of lane t + d. Which lanes reach lane 0 with d = 8, 4, 2, 1?
//! hint: 8 + 4 + 2 + 1 = 15: lanes 0 to 15. A step is missing.
//! learnt: a warp of 32 lanes adds in five steps, with distances 16, 8, 4, 2, 1; one step less loses half of the sum.
// *out = x[0] + … + x[n - 1], by one warp; n is at most 32. The lanes exchange values directly, without shared memory.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_lanes(const int* x, int n, int* out) {
  int lane = threadIdx.x;
  int value = lane < n ? x[lane] : 0;
#ifdef SOLUTION
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
#else
  for (int distance = 8; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
#endif
  if (lane == 0) *out = value;
}

// x and out are in the device's memory
void sum_warp(const int* x, int n, int* out) { sum_lanes<<<1, 32>>>(x, n, out); }

int main() {
  const int n = 32;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum_warp(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 2, 16, 17, 31, 32}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum_warp(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
