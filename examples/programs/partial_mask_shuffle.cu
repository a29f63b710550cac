// Wrong on purpose: a shuffle that names all 32 lanes, in a branch that 16 of them enter.
//
// Every lane that the mask names has to call the same shuffle. simtcc reports the lanes that do not.
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

__global__ void sum_warp(const int* x, int* sum) {
  int value = x[threadIdx.x];
  value += __shfl_down_sync(0xffffffff, value, 16);
  if (threadIdx.x < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  } else {
    __syncwarp();
  }
  if (threadIdx.x == 0) *sum = value;
}

int main() {
  const int n = 32;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_warp<<<1, n>>>(d_x, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
