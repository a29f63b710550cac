// Two launches: every block writes its sum, then one block adds any number of them. No atomics, the same bits every run.
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
constexpr int threads = 128;

__device__ float block_sum(float value, float* cache) {
  cache[threadIdx.x] = value;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
    __syncthreads();
  }
  return cache[0];
}

__global__ void partial_dots(const float* a, const float* b, float* partials, int n) {
  __shared__ float cache[threads];
  float sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) sum += a[i] * b[i];
  sum = block_sum(sum, cache);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void add_partials(const float* partials, int count, float* result) {
  __shared__ float cache[threads];
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += threads) sum += partials[i];
  sum = block_sum(sum, cache);
  if (threadIdx.x == 0) *result = sum;
}

int main() {
  const int n = 1 << 12, blocks = (n + threads - 1) / threads;
  const size_t bytes = n * sizeof(float);
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_partials, *d_result, sum = 0;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc(&d_b, bytes));
  CHECK(cudaMalloc(&d_partials, blocks * sizeof(float)));
  CHECK(cudaMalloc(&d_result, sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  partial_dots<<<blocks, threads>>>(d_a, d_b, d_partials, n);
  add_partials<<<1, threads>>>(d_partials, blocks, d_result);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_result, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  for (float* memory : {d_a, d_b, d_partials, d_result}) CHECK(cudaFree(memory));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
