//! title: Fewer threads than elements
//! topic: indices
//! call: void square_all(const int* x, int* y, int n)
//! fails: Wrong result for n = 129: y\[128\]: expected \d+, found no value
//! hint: The grid has 128 threads, whatever n is. So a thread needs a loop over its elements.
//! hint: If thread k takes the elements k, k + 128, k + 256, …, neighbouring threads read neighbouring elements.
//! hint: The number of threads of the grid is gridDim.x * blockDim.x.
//! learnt: a grid-stride loop, for (i = index; i < n; i += threads of the grid), takes any n with any grid.
// y[i] = x[i] * x[i], by 2 blocks of 64 threads, for any n. Let every thread take more than one element. The launch stays
// as it is.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void square_elements(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  for (; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * x[i];
#else
  if (i < n) y[i] = x[i] * x[i];
#endif
}

// x and y are in the device's memory
void square_all(const int* x, int* y, int n) { square_elements<<<2, 64>>>(x, y, n); }

int main() {
  const int n = 300;
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = -1;
  square_all(x, y, n);
  cudaDeviceSynchronize();
  std::printf("y[100] = %d, y[200] = %d\n", y[100], y[200]);
  cudaFree(x);
  cudaFree(y);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 127, 128, 129, 257, 1000}) {
    begin_case(n);
    const auto numbers = some_numbers(n, 100);
    std::vector<int> expected;
    for (int number : numbers) expected.push_back(number * number);
    const device_array<int> x(numbers), y(numbers.size());
    square_all(x, y, n);
    expect_equal("y", y.values(), expected);
  }
}
#endif
