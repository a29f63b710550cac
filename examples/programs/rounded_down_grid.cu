// Wrong on purpose: a grid of n / 128 blocks, rounded down, so that the last elements are never computed.
//
// The copy back reads elements that no thread has written: simtcc reports the copy. Fix: (n + 127) / 128 blocks.
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

__global__ void square(const int* x, int* squares, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = x[i] * x[i];
}

int main() {
  const int n = 500;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int* d_squares;
  std::vector<int> squares(n);
  CHECK(cudaMalloc(&d_squares, n * sizeof(int)));
  square<<<n / 128, 128>>>(d_x, d_squares, n);
  CHECK(cudaMemcpy(squares.data(), d_squares, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int y : squares) sum += y == 1;
  CHECK(cudaMemcpy(d_sum, &sum, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFree(d_squares));
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
