// atomic_sum.py in CUDA C++; the word is new memory that nobody has set to zero.
#include <cstdio>

__global__ void add_all(const int* x, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[0], x[i]);
}

int main() {
  const int n = 200;
  int *x, *out, sum;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  add_all<<<4, 64>>>(x, n, out);
  cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("sum %d of %d\n", sum, n);
  cudaFree(x);
  cudaFree(out);
}
