// Wrong on purpose, and only its sum and a note show it: 512 blocks leave 512 partial sums, of which a second launch adds 256.
//
// The second kernel loads one value a thread, so the rest is never read. Fix: a loop over all partial sums.
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

__global__ void sum_blocks(const float* x, float* partial, int n) {
  __shared__ float shared[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  shared[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (float y : shared) sum += y;
    partial[blockIdx.x] = sum;
  }
}

__global__ void add_partials(const float* partial, float* sum) {
  __shared__ float shared[256];
  shared[threadIdx.x] = partial[threadIdx.x];
  __syncthreads();
  for (int stride = 128; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) shared[threadIdx.x] += shared[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = shared[0];
}

int main() {
  const int n = 16384;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, 513 * sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, 513 * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_blocks<<<n / 32, 32>>>(d_x, d_sums + 1, n);
  add_partials<<<1, 256>>>(d_sums + 1, d_sums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
