//! title: One thread, one element
//! topic: indices
//! call: void double_all(const int* x, int* y, int n)
//! fails: Wrong result for n = 65: y\[64\]: expected \d+, found no value: no thread has written it
//! hint: Each block numbers its threads from 0. Which elements would the threads of the second block take by this index?
//! hint: `blockIdx.x` is the number of the block, `blockDim.x` how many threads each block has.
//! hint: The blocks before this one have blockIdx.x * blockDim.x threads.
//! learnt: the global index of a thread is blockIdx.x * blockDim.x + threadIdx.x.
// y[i] = 2 * x[i]. There are as many blocks as are needed, but only the first has work: with this index, the others would
// compute the same 64 elements. Give each thread an element of its own.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void double_element(const int* x, int* y, int n) {
#ifdef SOLUTION
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#else
  int i = threadIdx.x;
  if (blockIdx.x > 0) return;  // the others have no work yet
#endif
  if (i < n) y[i] = 2 * x[i];
}

// x and y are in the device's memory
void double_all(const int* x, int* y, int n) { double_element<<<n / 64 + 1, 64>>>(x, y, n); }

int main() {
  const int n = 100;
  int *x, *y;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = -1;
  double_all(x, y, n);
  cudaDeviceSynchronize();
  std::printf("y[10] = %d, y[90] = %d\n", y[10], y[90]);
  cudaFree(x);
  cudaFree(y);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 33, 64, 65, 129, 300}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    std::vector<int> expected;
    for (int number : numbers) expected.push_back(2 * number);
    const device_array<int> x(numbers), y(numbers.size());
    double_all(x, y, n);
    expect_equal("y", y.values(), expected);
  }
}
#endif
