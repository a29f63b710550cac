// No shared memory: every warp adds by shuffles, and its first lane adds the result atomically.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
__inline__ __device__ float warp_sum(float value) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void __launch_bounds__(128) dot(const float* a, const float* b, float* sum, int n) {
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) thread_sum = fmaf(a[i], b[i], thread_sum);
  thread_sum = warp_sum(thread_sum);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, thread_sum);
}

__device__ float result;

int main() {
  const int n = 3333;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_result, sum = 0;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(result, &sum, sizeof sum));
  CHECK(cudaGetSymbolAddress((void**)&d_result, result));
  dot<<<4, 128>>>(d_a, d_b, d_result, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyFromSymbol(&sum, result, sizeof sum));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
