// Wrong on purpose, and only its sum and a note show it: a tree down to 64 values, of which a warp then adds the first 32.
//
// The step from 64 to 32 is missing, so half of every block is lost. No race, no crash: a known answer finds it. Fix:
// `stride >= 32` in the loop, or an addition of the upper 32 before the shuffles.
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

__global__ void sum_blocks(const float* x, float* sum, int n) {
  __shared__ float partial[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int stride = 128; stride > 32; stride >>= 1) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float lane_sum = partial[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) lane_sum += __shfl_down_sync(0xffffffff, lane_sum, distance);
    if (threadIdx.x == 0) atomicAdd(sum, lane_sum);
  }
}

int main() {
  const int n = 16384;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_blocks<<<n / 256, 256>>>(d_x, d_sums, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
