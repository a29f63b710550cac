// tree_without_barrier.py in CUDA C++: wrong on purpose.
#include <cstdio>

__global__ void sum_block(const int* x, int* out) {
  __shared__ int cache[128];
  int t = threadIdx.x;
  cache[t] = x[t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (t < stride) cache[t] += cache[t + stride];
  }
  if (t == 0) out[0] = cache[0];
}

int main() {
  const int n = 128;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum_block<<<1, 128>>>(x, out);
  cudaDeviceSynchronize();
  std::printf("sum %d of %d\n", *out, n);
  cudaFree(x);
  cudaFree(out);
}
