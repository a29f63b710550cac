// Declarations of device code in many forms: none loses its meaning, and none is a warning.
// options: -Xcompiler -Wall,-Wextra --extended-lambda
// prints: ^1 2 3 4 5 6 7 8 9$
#include <cstdio>
struct pair_of {
  int a, b;
  __device__ pair_of(int x, int y) : a(x), b(y) {}
  __device__ int sum() const;
  friend __device__ int first(const pair_of&);
  static __device__ int zero() { return 0; }
};
__device__ int pair_of::sum() const { return a + b; }
__device__ int first(const pair_of& p) { return p.a; }
__device__ int later(int x);
__device__ volatile int counter = 3, others[2] = {4, 5};
__constant__ struct limits {
  int low, high;
} bounds = {6, 7};
namespace inner {
__device__ float unused_here;
template <class T>
__device__ T twice(T x);
template <>
__device__ int twice<int>(int x) {
  return 2 * x;
}
}
auto add = [] __device__(int x, int y) { return x + y; };
typedef int (*function)(int);
__device__ function chosen = later;
extern "C" __device__ int of_c(int x) { return x; }
static inline __device__ int nothing() { return 0; }
__global__ void k(int* out) {
  out[0] = first(pair_of(1, 0)) + pair_of::zero() + nothing();
  out[1] = pair_of(1, 1).sum();
  out[2] = counter, out[3] = others[0], out[4] = others[1], out[5] = bounds.low, out[6] = bounds.high;
  out[7] = inner::twice(4);
  out[8] = chosen(of_c(add(4, 4)));
}
__device__ int later(int x) { return x + 1; }
int main() {
  int *out, host[9];
  cudaMalloc(&out, sizeof host);
  k<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 9; ++i) printf("%d%c", host[i], i < 8 ? ' ' : '\n');
}
