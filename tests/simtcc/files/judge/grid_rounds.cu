// Many barriers of the grid one after the other: one block opens each, whatever the order.
// environment: SIMTCC_SEEDS=40
// prints: no findings in
#include <cooperative_groups.h>
__global__ void k() {
  auto grid = cooperative_groups::this_grid();
  for (int i = 0; i < 20; ++i) grid.sync();
}
int main() {
  cudaLaunchCooperativeKernel((void*)k, 2, 1, 0, 0, 0);
  cudaDeviceSynchronize();
}
