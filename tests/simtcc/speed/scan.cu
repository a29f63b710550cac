// Sums of the first elements of each block of 256 (Hillis and Steele, 1986), of 2^16 ints: a program whose speed in
// simtcc is measured.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int threads = 256;

__global__ void scan_blocks(const int* x, int* out) {
  __shared__ int sums[2][threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  int from = 0;
  sums[0][threadIdx.x] = x[i];
  __syncthreads();
  for (int distance = 1; distance < threads; distance *= 2) {
    const int other = threadIdx.x >= distance ? sums[from][threadIdx.x - distance] : 0;
    sums[1 - from][threadIdx.x] = sums[from][threadIdx.x] + other;
    from = 1 - from;
    __syncthreads();
  }
  out[i] = sums[from][threadIdx.x];
}

int main() {
  const int n = 1 << 16;
  std::vector<int> x(n, 1);
  int *d_x, *d_out;
  cudaMalloc(&d_x, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan_blocks<<<n / threads, threads>>>(d_x, d_out);
  cudaMemcpy(x.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("last %d\n", x[n - 1]);
  cudaFree(d_x);
  cudaFree(d_out);
  return x[n - 1] == threads ? 0 : 1;
}
