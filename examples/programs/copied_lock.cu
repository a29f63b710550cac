// Wrong on purpose: a lock whose destructor releases its memory is passed to a kernel by value.
//
// The launch's copy of the lock is destroyed on the host when the launch returns, and with it the mutex on the device, which
// the kernel may still need. Fix: pass the pointer, or a struct without a destructor.
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

struct owning_lock {
  int* taken = nullptr;
  owning_lock() {
    CHECK(cudaMalloc(&taken, sizeof(int)));
    CHECK(cudaMemset(taken, 0, sizeof(int)));
  }
  ~owning_lock() { cudaFree(taken); }
};

__global__ void count(owning_lock guard, int* n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(guard.taken, 0, 1) != 0) {
    }
    __threadfence();
    *n += 1;
    __threadfence();
    atomicExch(guard.taken, 0);
  }
}

int main() {
  int *d_n, n = 0;
  CHECK(cudaMalloc(&d_n, sizeof(int)));
  CHECK(cudaMemset(d_n, 0, sizeof(int)));
  owning_lock guard;
  count<<<4, 32>>>(guard, d_n);
  CHECK(cudaDeviceSynchronize());
  count<<<4, 32>>>(guard, d_n);
  CHECK(cudaMemcpy(&n, d_n, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("counted %d of 8\n", n);
  CHECK(cudaFree(d_n));
  return n == 8 ? EXIT_SUCCESS : EXIT_FAILURE;
}
