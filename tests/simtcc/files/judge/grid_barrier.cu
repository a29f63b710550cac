// A barrier of the grid that a block never reaches is named, with the block and its line.
// status: 66
// prints: barrier_divergence: grid_group::sync by thread 0 of block 0 \(.*:LINE(sync)\); other side: exit by thread \d+ of block 1 \(.*:LINE(kernel)\)
#include <cooperative_groups.h>
__global__ void k(int* x, int n) {  // kernel
  if (blockIdx.x * blockDim.x >= n) return;
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();  // sync
}
int main() {
  int *x, n = 32;
  cudaMalloc(&x, 256);
  void* arguments[] = {&x, &n};
  cudaLaunchCooperativeKernel((void*)k, 2, 32, arguments, 0, 0);
  cudaDeviceSynchronize();
}
