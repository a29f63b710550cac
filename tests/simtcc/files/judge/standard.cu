// nvcc's default is C++17: names that C++20 adds are the user's.
// prints: ^2\.5 4 3 201703$
#include <cmath>
#include <cstdio>
#include <numeric>
using namespace std;
__host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ int midpoint(int a, int b) { return (a + b) / 2; }
struct span {
  int size;
};
__global__ void k(float* out) {
  out[0] = lerp(2.0f, 3.0f, 0.5f);
  out[1] = midpoint(3, 5);
}
int main() {
  float *out, host[2];
  cudaMalloc(&out, sizeof host);
  k<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  span s = {3};
  printf("%g %g %d %ld\n", host[0], host[1], s.size, __cplusplus);
}
