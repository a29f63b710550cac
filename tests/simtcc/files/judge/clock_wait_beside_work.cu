// Threads that wait for the clock beside others that work.
// seconds: 10
// prints: ^done 64$
#include <cstdio>
__global__ void wait(long long clocks, int* done, int* x) {
  if (threadIdx.x % 2 == 0) {
    for (long long start = clock64(); clock64() - start < clocks;) {
    }
  } else {
    for (int i = 0; i < 300; ++i) x[threadIdx.x] += i;
  }
  atomicAdd(done, 1);
}
int main() {
  int *x, host = 0;
  cudaMalloc(&x, 65 * sizeof(int));
  cudaMemset(x, 0, 65 * sizeof(int));
  wait<<<1, 64>>>(5000000LL, x + 64, x);
  cudaMemcpy(&host, x + 64, sizeof(int), cudaMemcpyDeviceToHost);
  printf("done %d\n", host);
}
