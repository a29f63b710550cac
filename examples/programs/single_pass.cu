// One launch: the block that finishes last, found by a counter, adds the partial sums in order.
//
// The fence publishes a block's partial sum before its count; the last block's fence keeps its loads behind the count.
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
__device__ unsigned finished_blocks = 0;

__device__ float block_sum(float value) {
  __shared__ float cache[threads];
  cache[threadIdx.x] = value;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
    __syncthreads();
  }
  return cache[0];
}

__global__ void dot(const float* a, const float* b, float* partials, float* result, int n) {
  __shared__ bool is_last;
  float sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) sum += a[i] * b[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += threads) total += partials[i];
  __syncthreads();
  total = block_sum(total);
  if (threadIdx.x == 0) *result = total;
}

int main() {
  const int n = 6000, blocks = 12;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_partials, *d_result, sum = 0;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_partials, blocks * sizeof(float)));
  CHECK(cudaMalloc(&d_result, sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  for (int run = 0; run < 2; ++run) {  // the counter wraps to zero, ready for the next launch
    dot<<<blocks, threads>>>(d_a, d_b, d_partials, d_result, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_result, sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("sum %g of %d\n", sum, n);
    if (sum != n) return EXIT_FAILURE;
  }
  for (float* memory : {d_a, d_b, d_partials, d_result}) CHECK(cudaFree(memory));
  return EXIT_SUCCESS;
}
