// Names of host functions may be those of parameters and variables in kernels, and of overloads.
// options: --expt-relaxed-constexpr
// prints: ^21$
#include <cstdio>
int twice(int x) { return x; }
__device__ int twice(float x) { return 2 * (int)x; }
double apply(double x) { return x; }
int scale(int x) { return x; }
constexpr int three() { return 3; }
template <class F>
__global__ void kernel(int* x, F apply) {
  auto scale = [](int y) { return 2 * y; };
  *x = twice(2.0f) + apply(5) + scale(3) + three();
}
struct plus_three {
  __device__ int operator()(int x) const { return x + 3; }
};
int main() {
  int *x, host = 0;
  cudaMalloc(&x, sizeof(int));
  kernel<<<1, 1>>>(x, plus_three());
  cudaMemcpy(&host, x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host);
}
