// Shuffles in every warp, one value a warp in shared memory, shuffles in the first warp: two levels, one barrier.
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
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

template <typename T>
__device__ T block_sum(T value) {  // valid in thread 0
  __shared__ T warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = threadIdx.x < (blockDim.x + 31) / 32 ? warps[lane] : T(0);
  return warp == 0 ? warp_sum(value) : value;
}

template <typename T>
__global__ void dot(const T* a, const T* b, T* sum, int n) {
  T thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) thread_sum += a[i] * b[i];
  thread_sum = block_sum(thread_sum);
  if (threadIdx.x == 0) atomicAdd(sum, thread_sum);
}

template <typename T>
T run(int n) {
  const std::vector<T> a(n, T(0.5)), b(n, T(2));
  T *d_a, *d_b, *d_sum, sum;
  CHECK(cudaMalloc(&d_a, n * sizeof(T)));
  CHECK(cudaMalloc(&d_b, n * sizeof(T)));
  CHECK(cudaMalloc(&d_sum, sizeof(T)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, sizeof(T)));
  dot<<<5, 160>>>(d_a, d_b, d_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_sum));
  return sum;
}

int main() {
  const int n = 2500;
  const float single_sum = run<float>(n);
  const double double_sum = run<double>(n);
  std::printf("sums %g and %g of %d\n", single_sum, double_sum, n);
  return single_sum == n && double_sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
