// The first thread of each block counts its block under a spin lock. All threads of a block taking it: one_lock_per_thread.cu.
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

struct spin_lock {
  int* taken;
  __device__ void lock() const {
    while (atomicCAS(taken, 0, 1) != 0) {
    }
    __threadfence();  // what the last owner wrote is visible from here on
  }
  __device__ void unlock() const {
    __threadfence();  // what this owner wrote is visible before the lock is free
    atomicExch(taken, 0);
  }
};

__global__ void count_blocks(spin_lock guard, int* n) {
  if (threadIdx.x == 0) {
    guard.lock();
    *n += 1;
    guard.unlock();
  }
}

int main() {
  const int blocks = 64, threads = 96;
  int *d_x, x[2] = {0, 0};  // the count, and the lock
  CHECK(cudaMalloc(&d_x, sizeof x));
  CHECK(cudaMemset(d_x, 0, sizeof x));
  count_blocks<<<blocks, threads>>>(spin_lock{d_x + 1}, d_x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  std::printf("counted %d of %d blocks\n", x[0], blocks);
  CHECK(cudaFree(d_x));
  return x[0] == blocks ? EXIT_SUCCESS : EXIT_FAILURE;
}
