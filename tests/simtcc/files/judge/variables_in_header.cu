// Variables with __device__ and __constant__ in a header of two files; a C file beside them.
// with: second.cu
// with: third.c
// prints: ^1 2 30$
#include <cstdio>
#include "variables_in_header/variables.h"
extern "C" int third(void);
int second();
__global__ void first_kernel(int* out) { *out = limit + table[0]; }
int main() {
  int *out, host = 0, one = 1;
  cudaMalloc(&out, sizeof(int));
  cudaMemcpyToSymbol(limit, &one, sizeof(int));
  first_kernel<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host, second(), third());
}
