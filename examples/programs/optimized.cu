// Loads of 16 bytes, four independent accumulators a thread, shuffles, two phases: what a GPU's memory can deliver.
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

__device__ float block_sum(float value) {  // valid in thread 0
  __shared__ float warps[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < threads / 32; ++i) sum += warps[i];
  return sum;
}

__global__ __launch_bounds__(threads, 4) void partial_dots(const float4* __restrict__ a, const float4* __restrict__ b,
                                                           float* __restrict__ partials, int packs) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = blockIdx.x * threads + threadIdx.x; i < packs; i += gridDim.x * threads) {
    const float4 x = __ldg(&a[i]), y = __ldg(&b[i]);
    sum.x = fmaf(x.x, y.x, sum.x);
    sum.y = fmaf(x.y, y.y, sum.y);
    sum.z = fmaf(x.z, y.z, sum.z);
    sum.w = fmaf(x.w, y.w, sum.w);
  }
  const float total = block_sum((sum.x + sum.y) + (sum.z + sum.w));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

__global__ void add_partials(const float* partials, int count, float* result) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += threads) sum += partials[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

int main() {
  int device = 0, blocks_per_multiprocessor = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&properties, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, partial_dots, threads, 0));
  const int n = 1 << 14, packs = n / 4;
  const int blocks = min(16, properties.multiProcessorCount * blocks_per_multiprocessor);
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float4 *d_a, *d_b;
  float *d_partials, *d_result, sum = 0;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_partials, blocks * sizeof(float)));
  CHECK(cudaMalloc(&d_result, sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  partial_dots<<<blocks, threads>>>(d_a, d_b, d_partials, packs);
  add_partials<<<1, threads>>>(d_partials, blocks, d_result);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_result, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_partials));
  CHECK(cudaFree(d_result));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
