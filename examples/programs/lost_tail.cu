// Wrong on purpose, and only its sum and a note show it: loads of 16 bytes over n / 4 packs, and nothing for the last n mod 4 elements.
//
// Tests with powers of two pass. Fix: the first n mod 4 threads add one element each, as in vectorized.cu.
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

__global__ void sum_packs(const float4* x, float* sum, int packs) {
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < packs; i += gridDim.x * blockDim.x) {
    const float4 pack = x[i];
    thread_sum += (pack.x + pack.y) + (pack.z + pack.w);
  }
  atomicAdd(sum, thread_sum);
}

int main() {
  const int n = 1003;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sums, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, sizeof(float)));
  CHECK(cudaMemset(d_sums, 0, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_packs<<<2, 64>>>(reinterpret_cast<const float4*>(d_x), d_sums, n / 4);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sums, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("sum %g of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return sum == n ? EXIT_SUCCESS : EXIT_FAILURE;
}
