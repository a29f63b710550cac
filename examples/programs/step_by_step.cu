// Wrong on purpose: two threads increment x = 7. If both load before one of them stores, x becomes 8 instead of 9.
//
// Written in three steps, load, add and store, so that the finding names the lines. Fix: atomicAdd(x, 1).
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

__global__ void increment(int* x) {
  int value = *x;  // load
  value += 1;      // add
  *x = value;      // store
}

int main() {
  int *d_x, x = 7;
  CHECK(cudaMalloc(&d_x, sizeof(int)));
  CHECK(cudaMemcpy(d_x, &x, sizeof(int), cudaMemcpyHostToDevice));
  increment<<<2, 1>>>(d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&x, d_x, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("7 incremented twice is %d\n", x);
  CHECK(cudaFree(d_x));
  return x == 9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
