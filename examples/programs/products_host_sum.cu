// The kernel multiplies, the host adds: the copy of n products back takes longer than everything else.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
__global__ void multiply(const double* a, const double* b, double* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = a[i] * b[i];
}

int main() {
  const int n = 1 << 12;
  double *a, *b, *c;  // managed memory: the same pointers on host and device
  CHECK(cudaMallocManaged(&a, n * sizeof(double)));
  CHECK(cudaMallocManaged(&b, n * sizeof(double)));
  CHECK(cudaMallocManaged(&c, n * sizeof(double)));
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 2.0 * i;
  }
  multiply<<<16, 64>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += c[i];
  const double expected = double(n - 1) * n * (2.0 * n - 1) / 3;
  std::printf("sum %.0f of %.0f\n", sum, expected);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  return sum == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
