// racy_sum.py in CUDA C++: wrong on purpose.
#include <cstdio>

__global__ void add_all(const int* x, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[0] += x[i];
}

int main() {
  const int n = 200;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  *out = 0;
  add_all<<<4, 64>>>(x, n, out);
  cudaDeviceSynchronize();
  std::printf("sum %d of %d\n", *out, n);
  cudaFree(x);
  cudaFree(out);
}
