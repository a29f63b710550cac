// CUB adds the products that a kernel has stored: the first call says how much memory it needs, the second one adds.
#include <cub/cub.cuh>
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

__global__ void multiply(const float* a, const float* b, float* products, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) products[i] = a[i] * b[i];
}

int main() {
  const int n = 3000, threads = 256;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_products, *d_result, sum = 0;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_products, n * sizeof(float)));
  CHECK(cudaMalloc(&d_result, sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  multiply<<<(n + threads - 1) / threads, threads>>>(d_a, d_b, d_products, n);
  CHECK(cudaGetLastError());
  void* d_temporary = nullptr;
  std::size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(d_temporary, bytes, d_products, d_result, n));
  CHECK(cudaMalloc(&d_temporary, bytes));
  CHECK(cub::DeviceReduce::Sum(d_temporary, bytes, d_products, d_result, n));
  CHECK(cudaMemcpy(&sum, d_result, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_products));
  CHECK(cudaFree(d_result));
  CHECK(cudaFree(d_temporary));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
