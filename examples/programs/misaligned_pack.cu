// Wrong on purpose: loads of 16 bytes from an address that is one float off.
//
// On a GPU the launch fails with "misaligned address" (error 716), and every later call with it. Fix: start at the next
// multiple of 16 bytes, and add the elements before it one by one.
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

__global__ void sum_packs(const float* x, float* sum, int packs) {
  const float4 pack = reinterpret_cast<const float4*>(x)[threadIdx.x];
  if (threadIdx.x < packs) atomicAdd(sum, (pack.x + pack.y) + (pack.z + pack.w));
}

int main() {
  const int n = 132;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_packs<<<1, 32>>>(d_x + 1, d_sums, (n - 4) / 4);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
