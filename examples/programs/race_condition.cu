// Wrong on purpose: 100,000 threads add 1 to one number without an atomic, so most additions are lost.
//
// Each thread reads the number, adds and writes it back; what others wrote meanwhile is overwritten. Fix: atomicAdd, as in
// race_condition_fixed.cu.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)

__global__ void count(int* n) {
  *n += 1;
}

int main() {
  const int blocks = 100, threads = 1000;
  int *d_n, n = 0;
  CHECK(cudaMalloc(&d_n, sizeof(int)));
  CHECK(cudaMemset(d_n, 0, sizeof(int)));
  count<<<blocks, threads>>>(d_n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&n, d_n, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("counted %d of %d\n", n, blocks * threads);
  CHECK(cudaFree(d_n));
  return n == blocks * threads ? EXIT_SUCCESS : EXIT_FAILURE;
}
