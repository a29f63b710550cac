// Wrong on purpose: __syncthreads in a branch that only half of the threads enter.
//
// The programming guide allows a barrier in a conditional only if all threads of the block evaluate it alike. simtcc reports the
// barrier and where the other threads are. On a GPU the result is undefined: the kernel may hang.
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

__global__ void sum_block(const int* x, int* sum) {
  __shared__ int partial[128];
  const int t = threadIdx.x;
  partial[t] = x[t];
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) {
      partial[t] += partial[t + stride];
      __syncthreads();  // not reached by the others
    }
  }
  if (t == 0) *sum = partial[0];
}

int main() {
  const int n = 128;
  const std::vector<int> x(n, 1);
  int *d_x, *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sum, sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_block<<<1, n>>>(d_x, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("sum %d of %d\n", sum, n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return 0;
}
