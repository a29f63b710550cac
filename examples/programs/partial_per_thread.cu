// Every thread writes its own partial sum; the host adds them in order. No race, and the same bits every run.
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
constexpr int threads = 64, blocks = 8;

__global__ void dot(const float* __restrict__ a, const float* __restrict__ b, float* partials, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = first; i < n; i += step) sum += a[i] * b[i];
  partials[first] = sum;
}

int main() {
  const int n = 4000;
  float *a, *b, *partials;
  CHECK(cudaMallocHost(&a, n * sizeof(float)));  // page-locked, so that the copies may be asynchronous
  CHECK(cudaMallocHost(&b, n * sizeof(float)));
  CHECK(cudaHostAlloc(&partials, threads * blocks * sizeof(float), cudaHostAllocDefault));
  for (int i = 0; i < n; ++i) a[i] = 0.5f, b[i] = 2.0f;

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *d_a, *d_b, *d_partials;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_partials, threads * blocks * sizeof(float)));
  CHECK(cudaMemcpyAsync(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  dot<<<blocks, threads, 0, stream>>>(d_a, d_b, d_partials, n);
  CHECK(cudaMemcpyAsync(partials, d_partials, threads * blocks * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  float sum = 0;
  for (int i = 0; i < threads * blocks; ++i) sum += partials[i];
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaStreamDestroy(stream));
  for (float* memory : {d_a, d_b, d_partials}) CHECK(cudaFree(memory));
  for (float* memory : {a, b, partials}) CHECK(cudaFreeHost(memory));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
