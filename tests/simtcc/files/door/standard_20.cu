// options: -std=c++20
// prints: ^202002 5$
#include <concepts>
#include <cstdio>
template <std::integral T>
__global__ void k(T* x) {
  *x = 5;
}
int main() {
  int *x, host;
  cudaMalloc(&x, 4);
  k<<<1, 1>>>(x);
  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);
  printf("%ld %d\n", __cplusplus, host);
}
