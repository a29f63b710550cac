// The size of a kernel's clusters by __cluster_dims__, and their groups.
// prints: ^64 128 192 256 : 2 x 1, 4 x 64$
// prints: ^refused: cluster misconfiguration$
// prints: no findings
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(const int* x, int* sums, unsigned* sizes);

__global__ void exchange(const int* x, int* sums, unsigned* sizes) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
    atomicAdd(cluster.map_shared_rank(&sum, rank), x[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum * static_cast<int>(cluster.block_rank() + 1);
  if (blockIdx.x == 1 && threadIdx.x == 3) {
    sizes[0] = cluster.dim_blocks().x, sizes[1] = cluster.block_index().x;
    sizes[2] = cluster.num_threads();
  }
}

template <int n>
__global__ __cluster_dims__(n) void ranks(unsigned* last) {
  auto cluster = cg::this_cluster();
  cluster.barrier_wait(cluster.barrier_arrive());
  if (cluster.thread_rank() == cluster.num_threads() - 1) atomicMax(last, cluster.num_blocks());
}

int main() {
  int x[128], sums[4], *d_x, *d_sums;
  unsigned sizes[4] = {}, *d_sizes;
  for (int i = 0; i < 128; ++i) x[i] = i < 64 ? 1 : 2;
  cudaMalloc(&d_x, sizeof x);
  cudaMalloc(&d_sums, sizeof sums);
  cudaMalloc(&d_sizes, sizeof sizes);
  cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpy(d_sizes, sizes, sizeof sizes, cudaMemcpyHostToDevice);
  exchange<<<4, 32>>>(d_x, d_sums, d_sizes);
  ranks<4><<<8, 16>>>(d_sizes + 3);
  cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
  cudaMemcpy(sizes, d_sizes, sizeof sizes, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d : %u x %u, %u x %u\n", sums[0], sums[1], sums[2] * 3 / 2, sums[3], sizes[0], sizes[1], sizes[3],
              sizes[2]);
  ranks<4><<<6, 16>>>(d_sizes + 3);
  std::printf("refused: %s\n", cudaGetErrorString(cudaGetLastError()));
}
