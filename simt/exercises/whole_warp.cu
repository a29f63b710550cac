//! title: Lanes that are not there
//! topic: shuffles
//! call: void sums(const int* x, int n, int* out)
//! fails: missing_lanes
//! hint: The mask 0xffffffff says that all 32 lanes call the shuffle. Which lanes are in the branch?
//! hint: A lane without an element can add 0. Then it need not stay away.
//! hint: Read x[i] or take 0 before the shuffles, and let all lanes shuffle.
//! learnt: all lanes that a mask names must call the function; a lane without data takes part with a neutral value.
// out[w] = the sum of the 32 elements that warp w has; the last warp may have fewer.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_warps(const int* x, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  int value = i < n ? x[i] : 0;
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  if (i < n && i % 32 == 0) out[i / 32] = value;
#else
  if (i < n) {
    int value = x[i];
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (i % 32 == 0) out[i / 32] = value;
  }
#endif
}

// x and out are in the device's memory
void sums(const int* x, int n, int* out) { sum_warps<<<n / 64 + 1, 64>>>(x, n, out); }

int main() {
  const int n = 100;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, 4 * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sums(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sums of the warps are %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {64, 33, 0, 1, 65, 100}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    std::vector<int> expected((n + 31) / 32);
    for (int i = 0; i < n; ++i) expected[i / 32] += numbers[i];
    const device_array<int> x(numbers), out(expected.size());
    sums(x, n, out);
    expect_equal("out", out.values(), expected);
  }
}
#endif
