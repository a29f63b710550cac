// A loop in registers may have more basic blocks than a launch has steps.
// environment: SIMTCC_STEPS=100000
// prints: ^300000$
#include <cstdio>
__global__ void iterate(int n, int* out) {
  double x = 0.1;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    x = 3.9 * x * (1 - x);
    count += x < 2;
  }
  *out = count;
}
int main() {
  int *out, host = 0;
  cudaMalloc(&out, sizeof(int));
  iterate<<<1, 1>>>(300000, out);
  cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host);
}
