// shuffle_sum.py in CUDA C++: wrong on purpose.
#include <cstdio>

__global__ void sum_warp(const int* x, int* out) {
  int t = threadIdx.x;
  int value = x[t];
  for (int distance = 16; distance > 0; distance /= 2) {
    if (t < distance) value += __shfl_down_sync(0xffffffff, value, distance);
  }
  if (t == 0) out[0] = value;
}

int main() {
  const int n = 32;
  int *x, *out;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  sum_warp<<<1, 32>>>(x, out);
  cudaDeviceSynchronize();
  std::printf("sum %d of %d\n", *out, n);
  cudaFree(x);
  cudaFree(out);
}
