// Rounds that change nothing but a counter in a register: a loop that ends is no livelock.
// prints: ^all threads have counted$
#include <cstdio>
__global__ void rounds(const float* a, const float* b, float* c, int* done) {
  int i = threadIdx.x;
  for (int round = 0; round < 1200; ++round) c[i] = a[i] + b[i];
  atomicAdd(done, 1);
}
int main() {
  const int n = 1024;
  float* x;
  int *done, count = 0;
  cudaMalloc(&x, 3 * n * sizeof(float));
  cudaMalloc(&done, sizeof(int));
  cudaMemset(x, 0, 3 * n * sizeof(float));
  cudaMemset(done, 0, sizeof(int));
  rounds<<<1, n>>>(x, x + n, x + 2 * n, done);
  cudaMemcpy(&count, done, sizeof(int), cudaMemcpyDeviceToHost);
  if (count == n) printf("all threads have counted\n");
  return count != n;
}
