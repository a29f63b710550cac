// A user's names that begin like CUDA's; a special register with one percent sign.
// prints: ^3$
#include <cstdio>
struct cudaGraphAddition {
  int value;
};
int cudaGraphCreator() { return 1; }
__device__ float tex2DBilinear(float x) { return x + 1; }
__device__ unsigned long long timer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
__global__ void k(float* out) { *out = timer() > 0 ? tex2DBilinear(1) : tex2DBilinear(1); }
int main() {
  float *out, host;
  cudaMalloc(&out, sizeof(float));
  k<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof(float), cudaMemcpyDeviceToHost);
  cudaGraphAddition sum = {cudaGraphCreator()};
  printf("%g\n", host + sum.value);
}
