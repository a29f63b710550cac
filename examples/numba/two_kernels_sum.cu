// two_kernels_sum.py in CUDA C++.
#include <cstdio>

__global__ void sum_blocks(const int* x, int n, int* partials) {
  __shared__ int cache[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  cache[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (t < stride) cache[t] += cache[t + stride];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = cache[0];
}

int main() {
  const int n = 200;
  int *x, *partials, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&partials, 4 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum_blocks<<<4, 64>>>(x, n, partials);
  sum_blocks<<<1, 64>>>(partials, 4, out);
  cudaDeviceSynchronize();
  std::printf("sum %d of %d\n", *out, n);
  cudaFree(x);
  cudaFree(partials);
  cudaFree(out);
}
