//! title: A tree of any width
//! topic: trees
//! call: void sum_block(const int* x, int n, int* out)
//! fails: Wrong result for n = 96: \*out: expected \d+, found
//! hint: Follow the widths: 96, 48, 24, 12, 6, 3, and then? Which value does nobody add?
//! hint: If the width is odd, half of it rounded down leaves the middle value out.
//! hint: Let half = (width + 1) / 2: thread t adds cache[t + half] if t + half < width; then half is the new width.
//! learnt: halving loses a value whenever the width is odd: round the half up, or begin with a power of two.
// *out = x[0] + … + x[n - 1], by one block of 96 threads; n is at most 96. The block keeps its 96 threads.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_by_tree(const int* x, int n, int* out) {
  __shared__ int cache[96];
  int t = threadIdx.x;
  cache[t] = t < n ? x[t] : 0;
  __syncthreads();
#ifdef SOLUTION
  for (int width = 96; width > 1;) {
    int half = (width + 1) / 2;
    if (t + half < width) cache[t] += cache[t + half];
    __syncthreads();
    width = half;
  }
#else
  for (int stride = 48; stride > 0; stride /= 2) {
    if (t < stride) cache[t] += cache[t + stride];
    __syncthreads();
  }
#endif
  if (t == 0) *out = cache[0];
}

// x and out are in the device's memory
void sum_block(const int* x, int n, int* out) { sum_by_tree<<<1, 96>>>(x, n, out); }

int main() {
  const int n = 96;
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
  for (int n : {0, 1, 2, 96, 3, 5, 48, 95}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum_block(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
