// An endless loop without accesses, whose registers repeat, ends at once, with its reason; a long one that counts is right.
// seconds: 25
// status: 66
// prints: livelock: loop by thread 0 of block 0 \(.*; its registers and its stack are as they were before: it never ends$
// prints: ^60000000$
#include <cstdio>
__global__ void count(int n, unsigned* out) {
  unsigned x = 1;
  for (int i = 0; i < n; ++i) x = x * 1664525 + 1013904223;
  *out = x == 0 ? x : n;
}
__global__ void wait_quietly(int n, int* out) {
  int i = 0;
  while (i != n) i = (i + 2) % 4;
  *out = i;
}
int main() {
  unsigned *out, host = 0;
  cudaMalloc(&out, sizeof(int));
  count<<<1, 1>>>(60000000, out);
  cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%u\n", host);
  std::fflush(stdout);
  wait_quietly<<<1, 1>>>(1, (int*)out);
  cudaDeviceSynchronize();
}
