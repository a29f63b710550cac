// A block that reads the clock between its stores does not keep another from its turn.
// seconds: 10
// prints: ^done$
#include <cstdio>
__global__ void wait(int* flag, volatile long long* stamps) {
  if (blockIdx.x == 0) {
    for (long long start = clock64(); clock64() - start < 100000;) {
    }
    atomicExch(flag, 1);
  } else {
    for (unsigned i = 0; atomicAdd(flag, 0) == 0; ++i) stamps[i % 1024] = clock64();
  }
}
int main() {
  int* flag;
  long long* stamps;
  cudaMalloc(&flag, sizeof(int)), cudaMalloc(&stamps, 1024 * sizeof(long long));
  cudaMemset(flag, 0, sizeof(int));
  wait<<<2, 1>>>(flag, stamps);
  if (cudaDeviceSynchronize() == cudaSuccess) printf("done\n");
}
