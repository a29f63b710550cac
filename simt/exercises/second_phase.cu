//! title: Two phases
//! topic: trees
//! call: void sum(const int* x, int n, int* partials, int* out)
//! fails: Wrong result for n = 17000: \*out: expected \d+, found
//! hint: How many partial sums does the first kernel write for n = 17000, and how many does the second one read?
//! hint: The second kernel has 64 threads and may get hundreds of partial sums. It needs a loop.
//! hint: Thread t adds partials[t], partials[t + 64], …, before the tree begins.
//! learnt: the second phase is a sum of any length too: a loop per thread, then the tree.
// *out = x[0] + … + x[n - 1]: a first kernel adds 256 elements a block, a second one, of one block, adds their partial sums.
// It is right for n up to 16,384, and no finding says what is wrong beyond.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int tree(int value) {
  __shared__ int cache[64];
  int t = threadIdx.x;
  cache[t] = value;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (t < stride) cache[t] += cache[t + stride];
    __syncthreads();
  }
  return cache[0];
}

__global__ void first_phase(const int* x, int n, int* partials) {
  int sum = 0, end = (blockIdx.x + 1) * 256;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < end && i < n; i += 64) sum += x[i];
  sum = tree(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void second_phase(const int* partials, int count, int* out) {
#ifdef SOLUTION
  int sum = 0;
  for (int k = threadIdx.x; k < count; k += 64) sum += partials[k];
#else
  int sum = threadIdx.x < count ? partials[threadIdx.x] : 0;
#endif
  sum = tree(sum);
  if (threadIdx.x == 0) *out = sum;
}

// all in the device's memory; there are n / 256 + 1 partials
void sum(const int* x, int n, int* partials, int* out) {
  int blocks = n / 256 + 1;
  first_phase<<<blocks, 64>>>(x, n, partials);
  second_phase<<<1, 64>>>(partials, blocks, out);
}

int main() {
  const int n = 20000;
  int *x, *partials, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&partials, (n / 256 + 1) * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum(x, n, partials, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(partials);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 257, 1000, 17000}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), partials(n / 256 + 1), out(1);
    sum(x, n, partials, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
