// A tree whose active threads stand 2, 4, 8 … words apart, so that they meet in one bank of shared memory; then sequential
// addressing, which has no conflict. Both sums are right; `--profile` counts the conflicts.
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

__global__ void interleaved(const float* x, float* sum) {
  __shared__ float partial[256];
  partial[threadIdx.x] = x[threadIdx.x];
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const int i = 2 * stride * threadIdx.x;
    if (i < 256) partial[i] += partial[i + stride];  // 2, 4, 8 … lanes in one bank
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

__global__ void sequential(const float* x, float* sum) {
  __shared__ float partial[256];
  partial[threadIdx.x] = x[threadIdx.x];
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];  // each lane in a bank of its own
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

int main() {
  const int n = 256;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, 2 * sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, 2 * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  interleaved<<<1, 256>>>(d_x, d_sums + 1);
  CHECK(cudaMemcpy(&sum, d_sums + 1, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d, interleaved\n", sum, n);
  sequential<<<1, 256>>>(d_x, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
