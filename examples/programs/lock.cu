// A spin lock of atomicCAS and atomicExch, with the two fences that many printed locks lack.
//
// 64 blocks move one unit each from one number to the other; without the fences a block may see one of them changed and the
// other not.
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

__global__ void move(spin_lock guard, int* from, int* to) {
  guard.lock();
  *from -= 1;
  *to += 1;
  guard.unlock();
}

int main() {
  const int blocks = 64;
  int *d_x, x[3] = {0, blocks, 0};  // the lock, and two numbers
  CHECK(cudaMalloc(&d_x, sizeof x));
  CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
  move<<<blocks, 1>>>(spin_lock{d_x}, d_x + 1, d_x + 2);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  std::printf("%d left, %d moved\n", x[1], x[2]);
  CHECK(cudaFree(d_x));
  return x[1] == 0 && x[2] == blocks ? EXIT_SUCCESS : EXIT_FAILURE;
}
