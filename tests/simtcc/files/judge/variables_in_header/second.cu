#include "variables.h"
__device__ int declared_elsewhere = 0;
__global__ void second_kernel(int* out) { *out = chosen(limit) + table[0] + declared_elsewhere; }
int second() {
  int *out, host = 0, one = 1;
  cudaMalloc(&out, sizeof(int));
  cudaMemcpyToSymbol(limit, &one, sizeof(int));
  second_kernel<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}
