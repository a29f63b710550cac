// Loads of 16 bytes: a quarter of the instructions. The last n mod 4 elements and unaligned vectors have a way of their own.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cstdint>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

__global__ void dot(const float* a, const float* b, float* sum, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  const bool aligned = reinterpret_cast<uintptr_t>(a) % 16 == 0 && reinterpret_cast<uintptr_t>(b) % 16 == 0;
  const int packs = aligned ? n / 4 : 0;
  float thread_sum = 0;
  for (int i = thread; i < packs; i += all) {
    const float4 x = reinterpret_cast<const float4*>(a)[i], y = reinterpret_cast<const float4*>(b)[i];
    thread_sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  for (int i = 4 * packs + thread; i < n; i += all) thread_sum += a[i] * b[i];
  thread_sum = warp_sum(thread_sum);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, thread_sum);
}

int main() {
  const int n = 4003;
  const std::vector<float> a(n, 0.5f), b(n, 2.0f);
  float *d_a, *d_b, *d_sum;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, 2 * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, 2 * sizeof(float)));
  dot<<<4, 128>>>(d_a, d_b, &d_sum[0], n);
  dot<<<4, 128>>>(d_a + 1, d_b + 1, &d_sum[1], n - 1);
  CHECK(cudaGetLastError());
  float sum[2] = {};
  CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  std::printf("sums %g and %g of %d\n", sum[0], sum[1], n);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_sum));
  return sum[0] == n && sum[1] == n - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
