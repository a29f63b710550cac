// The tree in shared memory ends at 32 values, which the first warp adds by shuffles: fewer barriers.
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
__global__ void dot(const float* a, const float* b, float* sum, int n) {
  __shared__ float partial[256];
  const unsigned t = threadIdx.x;
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) thread_sum += a[i] * b[i];
  partial[t] = thread_sum;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride >= 32; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    thread_sum = partial[t];
    for (int offset = 16; offset > 0; offset /= 2) thread_sum += __shfl_down_sync(0xffffffff, thread_sum, offset);
    if (t == 0) atomicAdd(sum, thread_sum);
  }
}

int main() {
  const int n = 5000;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_a, n * sizeof *d_a));
  CHECK(cudaMalloc(&d_b, n * sizeof *d_b));
  CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof *d_a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof *d_b, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_sum, &sum, sizeof sum, cudaMemcpyHostToDevice));
  dot<<<8, 256>>>(d_a, d_b, d_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_sum));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
