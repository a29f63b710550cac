// Wrong on purpose: a tree in shared memory without __syncthreads between its steps.
//
// A thread reads what a thread of another warp may not have written yet. simtcc reports the data race with both lines.
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
__global__ void sum_block(const int* x, int* sum) {
  __shared__ int partial[128];
  partial[threadIdx.x] = x[threadIdx.x];
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) *sum = partial[0];
}

int main() {
  const std::vector<int> x(128, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, 128 * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
  sum_block<<<1, 128>>>(d_x, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of 128\n", sum);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
