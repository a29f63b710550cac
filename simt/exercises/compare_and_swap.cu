//! title: An atomic of your own
//! topic: atomics
//! call: void maximum(const float* x, int n, float* out)
//! fails: Wrong result for n = \d+: \*out: expected [\d.]+, found
//! hint: atomicCAS(word, old, new) stores only if the word still holds `old`. What if another thread was faster?
//! hint: It returns what it found. If that is not `old`, nothing was stored, and the thread has to try again with what it found.
//! hint: A loop: as long as the value is larger than the one that was found, try; stop when the word held what was expected.
//! learnt: any operation becomes atomic by a loop around atomicCAS: read, compute, try to swap, begin again if others were faster.
// *out = the largest of x, which are all above 0. CUDA has no atomicMax for float, but the bits of a float can be compared and
// swapped as an int. One try is not enough.
#include <cuda_runtime.h>

#include <cstdio>

__device__ void atomic_max(float* word, float value) {
  int* bits = reinterpret_cast<int*>(word);
  int found = atomicAdd(bits, 0);  // an atomic read
#ifdef SOLUTION
  while (value > __int_as_float(found)) {
    int old = found;
    found = atomicCAS(bits, old, __float_as_int(value));
    if (found == old) return;
  }
#else
  if (value > __int_as_float(found)) atomicCAS(bits, found, __float_as_int(value));
#endif
}

__global__ void find_maximum(const float* x, int n, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(out, x[i]);
}

// x and out are in the device's memory; *out is 0 if there are no elements
void maximum(const float* x, int n, float* out) {
  cudaMemset(out, 0, sizeof(float));
  find_maximum<<<n / 64 + 1, 64>>>(x, n, out);
}

int main() {
  const int n = 1000;
  float *x, *out;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&out, sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = 1 + i % 500;
  maximum(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the largest of 1 … 500 is %g\n", *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 2, 33, 64, 65, 200}) {
    begin_case(n);
    const auto numbers = some_numbers<float>(n, 100000);
    float expected = 0;
    for (float number : numbers) expected = number > expected ? number : expected;
    const device_array<float> x(numbers), out(1);
    maximum(x, n, out);
    expect_equal("*out", out.value(), expected);
  }
}
#endif
