// A block's sum is added under a spin lock: what a lock costs, and which fences make it right.
//
// atomicCAS and atomicExch order no other access. The fence after taking the lock keeps the additions behind it, the one
// before giving it back makes them visible to the next holder.
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
struct spin_lock {
  int* state;  // 0: free, 1: taken

  __device__ void lock() {
    while (atomicCAS(state, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(state, 0);
  }
};

__global__ void dot(const float* a, const float* b, float* sum, spin_lock lock, int n) {
  __shared__ float partial[256];
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) thread_sum += a[i] * b[i];
  partial[threadIdx.x] = thread_sum;
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) {
    lock.lock();
    *sum += partial[0];
    lock.unlock();
  }
}

int main() {
  const int n = 5000, threads = 256, blocks = 8;
  std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_sum;
  spin_lock lock;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, sizeof(float)));
  CHECK(cudaMalloc(&lock.state, sizeof(int)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, sizeof(float)));
  CHECK(cudaMemset(lock.state, 0, sizeof(int)));
  dot<<<blocks, threads>>>(d_a, d_b, d_sum, lock, n);
  CHECK(cudaDeviceSynchronize());
  float sum = 0;
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  cudaFree(d_a), cudaFree(d_b), cudaFree(d_sum), cudaFree(lock.state);
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
