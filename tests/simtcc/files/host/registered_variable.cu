// A variable of the host that the program has registered: kernels may use it.
// prints: ^6$
// prints: no findings
#include <cstdio>
int data[3] = {1, 2, 3};

__global__ void add(const int* x, int* sum) {
  for (int i = 0; i < 3; ++i) *sum += x[i];
}
int main() {
  int *x, *sum, result = 0;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  cudaHostRegister(data, sizeof data, cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&x, data, 0);
  add<<<1, 1>>>(x, sum);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
}
