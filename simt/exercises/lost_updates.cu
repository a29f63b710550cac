//! title: Lost updates
//! topic: races
//! call: void sum(const int* x, int n, int* out)
//! fails: data_race in global memory
//! hint: `*out += …` is three steps: read, add, write. What if two threads read the same value before one of them writes?
//! hint: One function of CUDA does the three steps as one, for each thread in turn.
//! learnt: an update of a word that threads share must be one step: `atomicAdd(&word, value)`.
// *out = x[0] + … + x[n - 1]. Every thread adds its element to *out, and most of the additions get lost: make each of them count.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_all(const int* x, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  if (i < n) atomicAdd(out, x[i]);
#else
  if (i < n) *out += x[i];
#endif
}

// x and out are in the device's memory
void sum(const int* x, int n, int* out) {
  cudaMemset(out, 0, sizeof(int));
  add_all<<<n / 64 + 1, 64>>>(x, n, out);
}

int main() {
  const int n = 100;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {65, 0, 1, 2, 63, 64, 300}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1);
    sum(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
