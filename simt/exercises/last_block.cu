//! title: The last block adds
//! topic: single pass
//! call: void sum(const int* x, int n, int* partials, unsigned* finished, int* out)
//! fails: data_race in global memory.*nothing orders blocks of one launch
//! hint: The count says that a block has finished. Does it say that its partial sum has arrived?
//! hint: A fence before the count publishes the partial sum; a fence after it keeps the reads of the last block behind the count.
//! hint: __threadfence() on both sides of the atomicAdd.
//! learnt: data, fence, flag by the writer; flag, fence, data by the reader: the pattern of every single-pass reduction.
// *out = x[0] + … + x[n - 1] in one launch: each block leaves its partial sum and counts itself, and the block that comes last
// adds all partial sums. Nothing orders them yet.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_blocks(const int* x, int n, int* partials, unsigned* finished, int* out) {
  // for simplicity a block is one thread with 16 elements
  int sum = 0, end = (blockIdx.x + 1) * 16;
  for (int i = blockIdx.x * 16; i < end && i < n; ++i) sum += x[i];
  partials[blockIdx.x] = sum;
#ifdef SOLUTION
  __threadfence();
  unsigned before = atomicAdd(finished, 1);
  __threadfence();
#else
  unsigned before = atomicAdd(finished, 1);
#endif
  if (before != gridDim.x - 1) return;
  int total = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) total += partials[k];
  *out = total;
}

// all in the device's memory; there are n / 16 + 1 partials
void sum(const int* x, int n, int* partials, unsigned* finished, int* out) {
  cudaMemset(finished, 0, sizeof(unsigned));
  sum_blocks<<<n / 16 + 1, 1>>>(x, n, partials, finished, out);
}

int main() {
  const int n = 1000;
  int *x, *partials, *out;
  unsigned* finished;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&partials, (n / 16 + 1) * sizeof(int));
  cudaMallocManaged(&finished, sizeof(unsigned));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum(x, n, partials, finished, out);
  cudaDeviceSynchronize();
  std::printf("the sum of %d ones is %d\n", n, *out);
  cudaFree(x);
  cudaFree(partials);
  cudaFree(finished);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {100, 0, 1, 16, 17, 333}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    const device_array<int> x(numbers), partials(n / 16 + 1), out(1);
    const device_array<unsigned> finished(1);
    sum(x, n, partials, finished, out);
    expect_equal("*out", out.value(), sum_of(numbers));
  }
}
#endif
