// A tree in dynamic shared memory; each block writes its partial sum, and the host adds them in order.
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
__global__ void dot(const float* a, const float* b, float* partials, int n) {
  extern __shared__ float cache[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride != 0; stride /= 2) {
    if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = cache[0];
}

int main() {
  const int n = 4000, threads = 64, blocks = 16;
  std::vector<float> a(n, 0.5f), b(n, 2.0f), partials(blocks);
  float *d_a, *d_b, *d_partials;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_partials, blocks * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  dot<<<blocks, threads, threads * sizeof(float)>>>(d_a, d_b, d_partials, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(partials.data(), d_partials, blocks * sizeof(float), cudaMemcpyDeviceToHost));
  float sum = 0;
  for (const float partial : partials) sum += partial;
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_partials));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
