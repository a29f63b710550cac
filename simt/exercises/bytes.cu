//! title: There and back
//! topic: memory
//! call: void negate_all(float* x, int n)
//! fails: uninitialised_global
//! hint: The last but one argument of cudaMemcpy counts bytes. How many bytes have n floats?
//! hint: sizeof(float) is 4. And the results are on the device still: a second cudaMemcpy takes them back.
//! hint: The direction of the second copy is cudaMemcpyDeviceToHost.
//! learnt: kernels use the device's memory only; what they read is copied there before, what they write back after, in bytes.
// x[i] = -x[i], for an array in the memory of the *host*. The kernel is right. Correct the copy to the device, and write the
// copy back.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void negate_elements(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = -x[i];
}

// x is in the host's memory
void negate_all(float* x, int n) {
  float* on_device;
  cudaMalloc(&on_device, n * sizeof(float));
#ifdef SOLUTION
  cudaMemcpy(on_device, x, n * sizeof(float), cudaMemcpyHostToDevice);
  negate_elements<<<n / 64 + 1, 64>>>(on_device, n);
  cudaMemcpy(x, on_device, n * sizeof(float), cudaMemcpyDeviceToHost);
#else
  cudaMemcpy(on_device, x, n, cudaMemcpyHostToDevice);
  negate_elements<<<n / 64 + 1, 64>>>(on_device, n);
  // here the results must come back
#endif
  cudaFree(on_device);
}

int main() {
  float x[3] = {1, 2, 3};
  negate_all(x, 3);
  std::printf("%g %g %g\n", x[0], x[1], x[2]);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {1, 5, 64, 65, 200}) {
    begin_case(n);
    auto numbers = some_numbers<float>(n);
    std::vector<float> expected;
    for (float number : numbers) expected.push_back(-number);
    negate_all(numbers.data(), n);
    wait();
    expect_equal("x", numbers, expected);
  }
}
#endif
