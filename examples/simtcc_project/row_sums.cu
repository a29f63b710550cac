// Sums of the rows of a matrix: a CUDA program that nvcc and simtcc compile unchanged, and that checks itself.
//
// -DWITHOUT_BARRIER leaves out a barrier: the sums may still be right, but the tests on the simulator fail.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void row_sums(const float* matrix, float* sums, int columns) {
  __shared__ float partial[128];
  const float* const row = matrix + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
  partial[threadIdx.x] = sum;
#ifndef WITHOUT_BARRIER
  __syncthreads();
#endif
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

int main() {
  const int rows = 5, columns = 300;
  std::vector<float> matrix(rows * columns), sums(rows);
  for (int i = 0; i < rows * columns; ++i) matrix[i] = static_cast<float>(i / columns + 1);
  float *device_matrix, *device_sums;
  cudaMalloc(&device_matrix, matrix.size() * sizeof(float));
  cudaMalloc(&device_sums, sums.size() * sizeof(float));
  cudaMemcpy(device_matrix, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<<<rows, 128>>>(device_matrix, device_sums, columns);
  cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_matrix);
  cudaFree(device_sums);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "row_sums: %s\n", cudaGetErrorString(status));
    return 1;
  }
  for (int i = 0; i < rows; ++i) {
    std::printf("row %d: %g\n", i, sums[i]);
    if (!(sums[i] == static_cast<float>(columns * (i + 1)))) return 1;
  }
  return 0;
}
