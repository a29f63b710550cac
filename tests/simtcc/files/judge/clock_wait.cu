// A wait for the clock ends, soon.
// seconds: 5
// prints: ^done 1$
#include <cstdio>
__global__ void wait(long long clocks, int* done) {
  long long start = clock64();
  while (clock64() - start < clocks) {
  }
  unsigned begin = clock();
  while ((unsigned)clock() - begin < 1000000u) {
  }
  *done = 1;
}
int main() {
  int *done, host = 0;
  cudaMalloc(&done, sizeof(int));
  wait<<<1, 1>>>(1000000000LL, done);
  cudaMemcpy(&host, done, sizeof(int), cudaMemcpyDeviceToHost);
  printf("done %d\n", host);
}
