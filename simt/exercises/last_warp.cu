//! title: The last warp
//! topic: shuffles
//! call: void sum_block(const int* x, int n, int* out)
//! fails: data_race in shared memory.*nothing orders the lanes of a warp
//! hint: Before Volta the lanes of a warp took every step together. Since then they need not.
//! hint: __syncwarp() waits for the lanes of the warp. It must stand between the reads of a step and the writes of the next, too.
//! hint: Or do without shared memory: value = cache[t] + cache[t + 32], then __shfl_down_sync with distances 16, 8, 4, 2, 1.
//! learnt: lanes of a warp are not in step by themselves: __syncwarp() or a shuffle orders them, volatile does not.
// *out = x[0] + … + x[n - 1], by one block of 64 threads; n is at most 64. The last six steps are those of one warp, which
// needs no __syncthreads(), as older texts say. They were right for older GPUs.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_by_tree(const int* x, int n, int* out) {
  __shared__ int cache[64];
  int t = threadIdx.x;
  cache[t] = t < n ? x[t] : 0;
  __syncthreads();
#ifdef SOLUTION
  if (t >= 32) return;
  int value = cache[t] + cache[t + 32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  if (t == 0) *out = value;
#else
  volatile int* last = cache;
  if (t < 32) {
    last[t] += last[t + 32];
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) *out = last[0];
#endif
}

// x and out are in the device's memory
void sum_block(const int* x, int n, int* out) { sum_by_tree<<<1, 64>>>(x, n, out); }

int main() {
  const int n = 64;
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
  for (int n : {64, 0, 1, 2, 31, 32, 33, 63}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum_block(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
