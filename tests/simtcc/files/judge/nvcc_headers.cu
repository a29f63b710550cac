// nvcc brings headers along, and gives abs, max and min their overloads.
// prints: ^0\.75 2\.5 7 9 3 1 1 0\.5$
#include <stdio.h>
__global__ void values(float* out) {
  out[0] = abs(-0.75f);
  out[1] = abs(-2.5);
  out[2] = umin(7u, 9u);
  out[3] = umax(7u, 9u);
  out[4] = max(3, 2) + min(0, 5);
  out[5] = llmin(1LL, 2LL) == 1 && ullmax(1ULL, 2ULL) == 2;
  out[6] = max(1u, 0) == 1 && min(-1LL, 1LL) == -1;
  out[7] = fminf(0.5f, (float)INT_MAX);
}
int main() {
  float* device;
  float host[8];
  srand((unsigned)time(NULL));
  clock_t begin = clock();
  memset(host, 0, sizeof host);
  cudaMalloc(&device, sizeof host);
  values<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) printf("%g%c", host[i], i < 7 ? ' ' : '\n');
  return clock() < begin;
}
