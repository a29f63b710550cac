//! title: A sum begins at zero
//! topic: races
//! call: void sum(const int* x, int n, int* out)
//! fails: uninitialised_global in global memory
//! hint: atomicAdd adds to what is there. What is in *out before the first addition?
//! hint: It must be 0 before any thread adds: not by a thread of the same kernel, which may come too late.
//! hint: cudaMemset(address, 0, bytes) writes zeros before the launch.
//! learnt: new memory of the device holds anything; zero an accumulator before the launch, by cudaMemset or a kernel of its own.
// *out = x[0] + … + x[n - 1]. All additions arrive, and still the sum is wrong. Why?
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_all(const int* x, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

// x and out are in the device's memory
void sum(const int* x, int n, int* out) {
#ifdef SOLUTION
  cudaMemset(out, 0, sizeof(int));
#else
#endif
  add_all<<<n / 64 + 1, 64>>>(x, n, out);
}

int main() {
  const int n = 100;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  *out = 5;  // what was there before
  sum(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {1, 0, 64, 65, 200}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), out(1, false);
    sum(x, n, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
