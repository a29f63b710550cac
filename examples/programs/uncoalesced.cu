// Each thread adds n / threads neighbours, so that a warp's 32 loads lie in 32 places; then the grid-stride loop, where they
// are neighbours. Both sums are right; `--profile` counts 32 sectors a request and 4.
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

__global__ void sum_own_part(const float* x, float* sum, int n) {
  const int threads = gridDim.x * blockDim.x, part = n / threads;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * part;
  float thread_sum = 0;
  for (int i = first; i < first + part; ++i) thread_sum += x[i];  // 32 sectors a request
  atomicAdd(sum, thread_sum);
}

__global__ void sum_grid_stride(const float* x, float* sum, int n) {
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) thread_sum += x[i];  // 4 sectors
  atomicAdd(sum, thread_sum);
}

int main() {
  const int n = 4096;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, 2 * sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, 2 * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_own_part<<<2, 64>>>(d_x, d_sums + 1, n);
  CHECK(cudaMemcpy(&sum, d_sums + 1, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d by parts\n", sum, n);
  sum_grid_stride<<<2, 64>>>(d_x, d_sums, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
