// A tree in shared memory, then one atomic addition a block. The block size is a template parameter.
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
template <int block_size>
__global__ void dot(const float* a, const float* b, float* sum, int n) {
  static_assert((block_size & (block_size - 1)) == 0, "a tree needs a power of two");
  __shared__ float partial[block_size];
  float thread_sum = 0;
  for (int i = blockIdx.x * block_size + threadIdx.x; i < n; i += gridDim.x * block_size) thread_sum += a[i] * b[i];
  partial[threadIdx.x] = thread_sum;
  __syncthreads();
  for (int stride = block_size / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

int main() {
  constexpr int block_size = 128;
  const int n = 4001;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_sum;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, sizeof(float)));
  dot<block_size><<<min(8, (n + block_size - 1) / block_size), block_size>>>(d_a, d_b, d_sum, n);
  CHECK(cudaGetLastError());
  float sum = 0;
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_sum));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
