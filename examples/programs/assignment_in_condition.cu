// Wrong on purpose, with a warning of the compiler: `while (*ready = 0)` assigns instead of comparing, so no thread waits.
//
// Compilers say so (-Wparentheses). Fix: `while (*ready == 0)`, with `ready` volatile and a fence on both sides.
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

__global__ void pass_on(int* value, int* ready, int* result) {
  if (blockIdx.x == 0) {
    *value = 42;
    __threadfence();
    atomicExch(ready, 1);
  } else {
    while (*ready = 0) {
    }
    *result = *value;
  }
}

int main() {
  int *d_x, x[3];
  CHECK(cudaMalloc(&d_x, sizeof x));
  CHECK(cudaMemset(d_x, 0, sizeof x));
  pass_on<<<2, 1>>>(d_x, d_x + 1, d_x + 2);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  std::printf("passed on %d of 42\n", x[2]);
  CHECK(cudaFree(d_x));
  return x[2] == 42 ? EXIT_SUCCESS : EXIT_FAILURE;
}
