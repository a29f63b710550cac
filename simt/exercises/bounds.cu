//! title: Threads without an element
//! topic: indices
//! call: void add(const float* a, const float* b, float* c, int n)
//! fails: out_of_bounds in global memory.*read by thread \d+ of block \d+ \(bounds.cu:13\)
//! hint: The grid has whole blocks of 64 threads. How many threads are there for n = 100?
//! hint: The threads with i = 100 … 127 have no element. They must do nothing.
//! learnt: a grid is rounded up to whole blocks, so a kernel compares its index with n: if (i < n).
// c[i] = a[i] + b[i]. It seems to work, but it uses memory that does not belong to it. Stop that.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_elements(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  if (i < n) c[i] = a[i] + b[i];
#else
  c[i] = a[i] + b[i];
#endif
}

// all in the device's memory
void add(const float* a, const float* b, float* c, int n) { add_elements<<<n / 64 + 1, 64>>>(a, b, c, n); }

int main() {
  const int n = 100;
  float *a, *b, *c;
  cudaMallocManaged(&a, n * sizeof(float));
  cudaMallocManaged(&b, n * sizeof(float));
  cudaMallocManaged(&c, n * sizeof(float));
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 0.5f;
  add(a, b, c, n);
  cudaDeviceSynchronize();
  std::printf("c[99] = %g\n", c[99]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {1, 0, 63, 64, 65, 200}) {
    begin_case(n);
    const auto left = some_numbers<float>(n), right = some_numbers<float>(n, 99);
    std::vector<float> expected;
    for (int i = 0; i < n; ++i) expected.push_back(left[i] + right[i]);
    const device_array<float> a(left), b(right), c(left.size());
    add(a, b, c, n);
    expect_equal("c", c.values(), expected);
  }
}
#endif
