//! title: A place for each thread
//! topic: races
//! call: void sums(const int* x, int n, int* partials)
//! fails: data_race in global memory.*nothing orders blocks of one launch
//! hint: Which threads write partials[0]?
//! hint: threadIdx.x is the same in every block. There is a place for each of the 128 threads of the grid.
//! hint: The place must depend on blockIdx.x too.
//! learnt: threads that write to places of their own need no atomic; the place is made of the block's and the thread's number.
// Each of the 128 threads adds its elements, in a grid-stride loop, and writes its partial sum to a place of its own, so that
// the host can add the 128 partial sums. But some places are written twice, and others never.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_per_thread(const int* x, int n, int* partials) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
#ifdef SOLUTION
  partials[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#else
  partials[threadIdx.x] = sum;
#endif
}

// x and the 128 partials are in the device's memory
void sums(const int* x, int n, int* partials) { sum_per_thread<<<2, 64>>>(x, n, partials); }

int main() {
  const int n = 1000;
  int *x, *partials, sum = 0;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&partials, 128 * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  for (int k = 0; k < 128; ++k) partials[k] = 0;
  sums(x, n, partials);
  cudaDeviceSynchronize();
  for (int k = 0; k < 128; ++k) sum += partials[k];
  std::printf("the sum of %d ones is %d\n", n, sum);
  cudaFree(x);
  cudaFree(partials);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {1, 0, 64, 65, 129, 1000}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), partials(128);
    sums(x, n, partials);
    const auto found = partials.values();
    for (int k = 0; k < 128; ++k) {
      int expected = 0;
      for (int i = k; i < n; i += 128) expected += numbers[i];
      if (is_unwritten(found[k])) wrong("partials[" + std::to_string(k) + "]", found[k], expected);
    }
    expect_equal("the sum of all partials", sum_of(found), sum_of(numbers));
  }
}
#endif
