// Arithmetic of pairs of halves.
// prints: ^5 -2 6 4 1 0$
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(float* out) {
  __half2 a = __floats2half2_rn(2, 1), b = __floats2half2_rn(3, -3);
  a += b;
  out[0] = __low2float(a), out[1] = __high2float(a);
  a -= b;
  a *= b;
  out[2] = __low2float(a);
  out[3] = __low2float(h2sqrt(__floats2half2_rn(16, 4)));
  out[4] = __low2float(__hgt2(a, b)), out[5] = __high2float(__heq2(-a, b)) + (a != a);
  __nv_bfloat162 c = __floats2bfloat162_rn(1, 2);
  c += c;
}
int main() {
  float *out, host[6];
  cudaMalloc(&out, sizeof host);
  k<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 6; ++i) printf("%g%c", host[i], i < 5 ? ' ' : '\n');
}
