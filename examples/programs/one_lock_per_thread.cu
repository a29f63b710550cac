// Wrong in lock step: a spin lock that every thread of a warp takes. With independent threads (Volta and later) it is right.
//
// The lane that holds the lock waits for the lanes of its warp that spin. simtcc --model lock_step reports the livelock; with the
// default model the program ends. Fix for both: one thread of a block takes the lock.
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

__global__ void count(const int* x, int* sum, int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum += x[threadIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  const int n = 64;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int* d_lock;
  CHECK(cudaMalloc(&d_lock, sizeof(int)));
  CHECK(cudaMemset(d_lock, 0, sizeof(int)));
  CHECK(cudaMemset(d_sum, 0, sizeof(int)));
  count<<<1, n>>>(d_x, d_sum, d_lock);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_lock));
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
