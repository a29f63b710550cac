// Wrong on purpose: the first thread of each block counts its block without a lock, so most blocks are lost.
//
// Fix: block_counter_with_lock.cu, or one atomicAdd a block.
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

__global__ void count_blocks(int* n) {
  if (threadIdx.x == 0) *n += 1;
}

int main() {
  const int blocks = 64, threads = 96;
  int *d_x, x[1] = {0};
  CHECK(cudaMalloc(&d_x, sizeof x));
  CHECK(cudaMemset(d_x, 0, sizeof x));
  count_blocks<<<blocks, threads>>>(d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  std::printf("counted %d of %d blocks\n", x[0], blocks);
  CHECK(cudaFree(d_x));
  return x[0] == blocks ? EXIT_SUCCESS : EXIT_FAILURE;
}
