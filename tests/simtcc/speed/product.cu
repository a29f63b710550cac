// The square of a matrix in tiles of shared memory, of side SIDE: a program whose speed in simtcc is measured.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#ifndef SIDE
#define SIDE 128
#endif
constexpr int tile = 16;

__global__ void tiled_product(const float* a, int n, float* product) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n / tile; ++i) {
    left[threadIdx.y][threadIdx.x] = a[row * n + i * tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = a[(i * tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  product[row * n + column] = sum;
}

int main() {
  const int n = SIDE;
  std::vector<float> a(n * n, 1.0F);
  float *d_a, *d_product;
  cudaMalloc(&d_a, n * n * sizeof(float));
  cudaMalloc(&d_product, n * n * sizeof(float));
  cudaMemcpy(d_a, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  tiled_product<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(d_a, n, d_product);
  cudaMemcpy(a.data(), d_product, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const float x : a) sum += x;
  std::printf("sum %g\n", sum);
  cudaFree(d_a);
  cudaFree(d_product);
  return sum == double(n) * n * n ? 0 : 1;
}
