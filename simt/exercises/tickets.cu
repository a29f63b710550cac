//! title: What an atomic returns
//! topic: atomics
//! call: void keep_even(const int* x, int n, int* y, int* count)
//! fails: data_race in global memory
//! hint: Between a thread's atomicAdd and its read of *count, other threads add, too.
//! hint: atomicAdd returns the value from before its addition: a different one for each thread.
//! learnt: the value that an atomic returns is a ticket: no other thread gets the same. Reading the word again is a race.
// y gets the even elements of x, in any order, and *count their number. Each thread with an even element takes the next place.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void keep(const int* x, int n, int* y, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] % 2 == 0) {
#ifdef SOLUTION
    int place = atomicAdd(count, 1);
    y[place] = x[i];
#else
    atomicAdd(count, 1);
    int place = *count - 1;
    y[place] = x[i];
#endif
  }
}

// all in the device's memory; y has room for n elements
void keep_even(const int* x, int n, int* y, int* count) {
  cudaMemset(count, 0, sizeof(int));
  keep<<<n / 64 + 1, 64>>>(x, n, y, count);
}

int main() {
  const int n = 20;
  int *x, *y, *count;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i, y[i] = -1;
  keep_even(x, n, y, count);
  cudaDeviceSynchronize();
  for (int k = 0; k < *count; ++k) std::printf("%d ", y[k]);
  std::printf("\n");
  cudaFree(x);
  cudaFree(y);
  cudaFree(count);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {100, 0, 1, 2, 64, 65}) {
    begin_case(n);
    const auto numbers = some_numbers(n, 1000);
    std::vector<int> expected;
    for (int number : numbers) {
      if (number % 2 == 0) expected.push_back(number);
    }
    const device_array<int> x(numbers), y(numbers.size()), count(1);
    keep_even(x, n, y, count);
    expect_equal("*count", count.value(), static_cast<int>(expected.size()));
    auto found = y.values();
    found.resize(expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (is_unwritten(found[k])) wrong("y[" + std::to_string(k) + "]", found[k], expected[k]);
    }
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    expect_equal("y, sorted", found, expected);
  }
}
#endif
