//! title: Half the threads add
//! topic: trees
//! call: void sum_block(const int* x, int n, int* out)
//! fails: Wrong result for n = 2: \*out: expected \d+, found
//! hint: In the first step thread t < 64 adds cache[t + 64] to cache[t]. How many values are left, and who adds them?
//! hint: A loop: stride = 64, 32, …, 1; thread t < stride adds cache[t + stride] to cache[t].
//! hint: Each step reads what the step before has written. So each ends in __syncthreads(), which all threads reach.
//! learnt: a tree adds 2^k values in k steps: half of the threads add in each, and a barrier ends each step.
// *out = x[0] + … + x[n - 1], by one block of 128 threads; n is at most 128. The values are in shared memory: add them by a
// tree, in 7 steps.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_by_tree(const int* x, int n, int* out) {
  __shared__ int cache[128];
  int t = threadIdx.x;
  cache[t] = t < n ? x[t] : 0;
  __syncthreads();
#ifdef SOLUTION
  for (int stride = 64; stride > 0; stride /= 2) {
    if (t < stride) cache[t] += cache[t + stride];
    __syncthreads();
  }
#else
  // your part: cache[0] becomes the sum of all
#endif
  if (t == 0) *out = cache[0];
}

// x and out are in the device's memory
void sum_block(const int* x, int n, int* out) { sum_by_tree<<<1, 128>>>(x, n, out); }

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
  for (int n : {0, 1, 2, 3, 64, 65, 127, 128}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum_block(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
