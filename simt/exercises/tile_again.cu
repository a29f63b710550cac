//! title: Not yet: others still read
//! topic: barriers
//! call: void count_smaller(const int* x, int* counts, int n)
//! fails: data_race in shared memory.*no barrier between the two
//! hint: There is a barrier between the writes of a tile and its reads. What stands between those reads and the next writes?
//! hint: A fast warp begins the next tile while a slow one still reads this one.
//! learnt: a loop that fills a tile again needs two barriers: one after the writes, one after the reads.
// counts[i] = how many elements are smaller than x[i]. A block of 64 threads takes the elements tile by tile into shared
// memory, so that not every thread reads all of them from global memory. It is right for one tile.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_elements(const int* x, int* counts, int n) {
  __shared__ int tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  int own = i < n ? x[i] : 0, count = 0;
  for (int first = 0; first < n; first += 64) {
    if (first + threadIdx.x < n) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64 && first + k < n; ++k) {
      if (tile[k] < own) ++count;
    }
#ifdef SOLUTION
    __syncthreads();
#else
#endif
  }
  if (i < n) counts[i] = count;
}

// x and counts are in the device's memory
void count_smaller(const int* x, int* counts, int n) { count_elements<<<n / 64 + 1, 64>>>(x, counts, n); }

int main() {
  const int n = 200;
  int *x, *counts;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&counts, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = n - i;
  count_smaller(x, counts, n);
  cudaDeviceSynchronize();
  std::printf("counts[0] = %d, counts[199] = %d\n", counts[0], counts[199]);
  cudaFree(x);
  cudaFree(counts);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {64, 1, 0, 65, 130}) {
    begin_case(n);
    const auto numbers = some_numbers(n, 100);
    std::vector<int> expected;
    for (int number : numbers) {
      expected.push_back(0);
      for (int other : numbers) expected.back() += other < number ? 1 : 0;
    }
    const device_array<int> x(numbers), counts(numbers.size());
    count_smaller(x, counts, n);
    expect_equal("counts", counts.values(), expected);
  }
}
#endif
