//! title: Read and write in one array
//! topic: races
//! call: void add_neighbours(int* x, int* scratch, int n)
//! fails: data_race in global memory
//! hint: Thread i reads x[i + 1] while thread i + 1 writes it: the old value is needed, and the new one may be there already.
//! hint: A barrier orders the threads of one block only. Let the kernel read one array and write another.
//! hint: Write to scratch, then cudaMemcpy(x, scratch, bytes, cudaMemcpyDeviceToDevice): work in one stream is ordered.
//! learnt: threads of different blocks are ordered by launches, not by barriers; so read one array and write another.
// x[i] = x[i] + x[i + 1], of the old values, for i < n - 1; the last element stays. `scratch` is memory for n further elements,
// to use as you like.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_next(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i + 1 < n ? from[i] + from[i + 1] : from[i];
}

// x and scratch are in the device's memory
void add_neighbours(int* x, int* scratch, int n) {
#ifdef SOLUTION
  add_next<<<n / 64 + 1, 64>>>(x, scratch, n);
  cudaMemcpy(x, scratch, n * sizeof(int), cudaMemcpyDeviceToDevice);
#else
  add_next<<<n / 64 + 1, 64>>>(x, x, n);
#endif
}

int main() {
  const int n = 100;
  int *x, *scratch;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&scratch, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  add_neighbours(x, scratch, n);
  cudaDeviceSynchronize();
  std::printf("x[0] = %d, x[63] = %d, x[99] = %d\n", x[0], x[63], x[99]);
  cudaFree(x);
  cudaFree(scratch);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {1, 2, 64, 65, 200}) {
    begin_case(n);
    const auto numbers = some_numbers(n);
    auto expected = numbers;
    for (int i = 0; i + 1 < n; ++i) expected[i] += numbers[i + 1];
    const device_array<int> x(numbers), scratch(numbers.size());
    add_neighbours(x, scratch, n);
    expect_equal("x", x.values(), expected);
  }
}
#endif
