// Wrong on purpose: the sum is never set to zero before the atomic additions.
//
// cudaMalloc leaves memory as it was. On a GPU that is often zero, so the fault shows on another day. simtcc reports the read.
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

__global__ void sum_all(const int* x, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

int main() {
  const int n = 500;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_all<<<(n + 127) / 128, 128>>>(d_x, d_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
