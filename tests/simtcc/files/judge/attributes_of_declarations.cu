// Attributes and alignments before and after the words of CUDA.
// options: -Xcompiler -Wall,-Wextra
// prints: ^1 2 3 4 5 6 7$
#include <cstdio>
__device__ alignas(16) float aligned[4] = {1, 1, 1, 1};
alignas(16) __device__ float aligned_before[4] = {2, 2, 2, 2};
__device__ [[maybe_unused]] alignas(32) int both = 3;
[[maybe_unused]] __device__ int before = 4;
__constant__ [[maybe_unused]] int limit = 5;
__device__ __constant__ alignas(16) int words = 6;
__device__ [[nodiscard]] int seven() { return 7; }
__device__ [[maybe_unused]] int unused(int x) { return x; }
__global__ void k(int* out) {
  __shared__ alignas(16) [[maybe_unused]] float tile[4];
  tile[0] = aligned[3];
  out[0] = (int)tile[0], out[1] = (int)aligned_before[3], out[2] = both, out[3] = before;
  out[4] = limit, out[5] = words, out[6] = seven();
}
int main() {
  int *out, host[7];
  cudaMalloc(&out, sizeof host);
  k<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 7; ++i) printf("%d%c", host[i], i < 6 ? ' ' : '\n');
}
