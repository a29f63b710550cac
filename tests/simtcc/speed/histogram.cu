// 2^20 bytes counted in shared memory, then added to one histogram: a program whose speed in simtcc is measured.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int bins = 256;

__global__ void histogram(const unsigned char* x, int n, unsigned* counts) {
  __shared__ unsigned local[bins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1U);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 1 << 20;
  std::vector<unsigned char> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<unsigned char>(i * 2654435761U >> 24);
  std::vector<unsigned> counts(bins);
  unsigned char* d_x;
  unsigned* d_counts;
  cudaMalloc(&d_x, n);
  cudaMalloc(&d_counts, bins * sizeof(unsigned));
  cudaMemcpy(d_x, x.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(d_counts, 0, bins * sizeof(unsigned));
  histogram<<<64, bins>>>(d_x, n, d_counts);
  cudaMemcpy(counts.data(), d_counts, bins * sizeof(unsigned), cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (const unsigned count : counts) sum += count;
  std::printf("sum %u, first %u\n", sum, counts[0]);
  cudaFree(d_x);
  cudaFree(d_counts);
  return sum == n ? 0 : 1;
}
