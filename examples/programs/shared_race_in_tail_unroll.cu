// Wrong with independent threads: the last warp of a tree adds without __syncwarp, as texts before Volta print it.
//
// In the simulator's lock step a warp's reads come before its writes, and the sum is right; an old GPU needs volatile too. With
// independent threads (Volta and later) a lane may read what another has not written yet. Fix: __syncwarp(), or shuffles.
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

__global__ void sum_block(const float* x, float* sum) {
  __shared__ float partial[64];
  const int i = threadIdx.x;
  partial[i] = x[i];
  __syncthreads();
  if (i < 32) {
    partial[i] += partial[i + 32];
    if (i < 16) partial[i] += partial[i + 16];
    if (i < 8) partial[i] += partial[i + 8];
    if (i < 4) partial[i] += partial[i + 4];
    if (i < 2) partial[i] += partial[i + 2];
    if (i < 1) *sum = partial[0] + partial[1];
  }
}

int main() {
  const int n = 64;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_block<<<1, 64>>>(d_x, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
