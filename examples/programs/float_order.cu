// The same 4096 floats added forwards, backwards and as a tree: three sums, because each addition rounds.
//
// All three are right to rounding. A sum that must not depend on the order is rounded once: exactdot's `exact`.
#include <cuda_runtime.h>

#include <cmath>
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

__global__ void forwards(const float* x, int n, float* sum) {
  float total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  *sum = total;
}

__global__ void backwards(const float* x, int n, float* sum) {
  float total = 0;
  for (int i = n - 1; i >= 0; --i) total += x[i];
  *sum = total;
}

__global__ void tree(const float* x, int n, float* sum) {
  __shared__ float partial[256];
  float thread_sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) thread_sum += x[i];
  partial[threadIdx.x] = thread_sum;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

int main() {
  const int n = 4096;
  std::vector<float> x(n);
  double exact = 0;
  for (int i = 0; i < n; ++i) x[i] = 1.0f / (1 + i), exact += x[i];
  float *d_x, *d_sums, sums[3];
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, sizeof sums));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  forwards<<<1, 1>>>(d_x, n, d_sums);
  backwards<<<1, 1>>>(d_x, n, d_sums + 1);
  tree<<<1, 256>>>(d_x, n, d_sums + 2);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
  std::printf("forwards  %.9g\nbackwards %.9g\ntree      %.9g\n", sums[0], sums[1], sums[2]);
  std::printf("in double %.9g\n", exact);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return std::abs(sums[0] - exact) < 1e-4 && sums[0] != sums[1] ? EXIT_SUCCESS : EXIT_FAILURE;
}
