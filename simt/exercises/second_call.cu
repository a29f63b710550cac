//! title: Ready for the next call
//! topic: single pass
//! call: void sum(const int* x, int n, int* partials, int* out)
//! fails: Wrong result for n = \d+, second call: \*out: expected \d+, found no value
//! hint: A __device__ variable keeps its value from launch to launch. What is the count at the beginning of the second one?
//! hint: The last block knows that it is the last one. It can leave the count as it was at the beginning.
//! hint: Or atomicInc(&finished, gridDim.x - 1), which counts 0, 1, …, gridDim.x - 1 and then begins at 0 again.
//! learnt: a counter that lives longer than a launch must be reset, best by the last block itself.
// A sum in one launch, as before, with the counter in a variable of the device. The first call is right.
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned finished = 0;

__global__ void sum_blocks(const int* x, int n, int* partials, int* out) {
  int sum = 0, end = (blockIdx.x + 1) * 16;
  for (int i = blockIdx.x * 16; i < end && i < n; ++i) sum += x[i];
  partials[blockIdx.x] = sum;
  __threadfence();
#ifdef SOLUTION
  unsigned before = atomicInc(&finished, gridDim.x - 1);
#else
  unsigned before = atomicAdd(&finished, 1);
#endif
  __threadfence();
  if (before != gridDim.x - 1) return;
  int total = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) total += partials[k];
  *out = total;
}

// all in the device's memory; there are n / 16 + 1 partials
void sum(const int* x, int n, int* partials, int* out) { sum_blocks<<<n / 16 + 1, 1>>>(x, n, partials, out); }

int main() {
  const int n = 1000;
  int *x, *partials, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&partials, (n / 16 + 1) * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  for (int call = 1; call <= 2; ++call) {
    *out = 0;
    sum(x, n, partials, out);
    cudaDeviceSynchronize();
    std::printf("call %d: the sum of %d ones is %d\n", call, n, *out);
  }
  cudaFree(x);
  cudaFree(partials);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {100, 0, 1, 17, 333}) {
    for (const char* call : {"first", "second", "third"}) {
      begin_case("n = " + std::to_string(n) + ", " + call + " call");
      const auto numbers = some_numbers(n);
      const device_array<int> x(numbers), partials(n / 16 + 1), out(1);
      sum(x, n, partials, out);
      expect_equal("*out", out.value(), sum_of(numbers));
    }
  }
}
#endif
