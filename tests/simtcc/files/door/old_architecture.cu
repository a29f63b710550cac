// options: -arch sm_20 -run -v
// notes: note: compute capability 2\.0 is older than those modelled: __CUDA_ARCH__ is 200
// notes: ^200 2\.0$
// prints: ^200 2\.0$
#include <cstdio>
int main() {
  cudaDeviceProp all;
  cudaGetDeviceProperties(&all, 0);
  printf("%d %d.%d\n", __CUDA_ARCH__, all.major, all.minor);
}
