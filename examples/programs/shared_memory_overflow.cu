// Wrong on purpose: more threads than the shared array has elements.
//
// The kernel was written for blocks of 64 threads and is launched with 128. simtcc reports the index.
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

constexpr int block_size = 64;

__global__ void sum_block(const int* x, int* sum) {
  __shared__ int partial[block_size];
  partial[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (unsigned stride = block_size / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

int main() {
  const int n = 128;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_block<<<1, n>>>(d_x, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
