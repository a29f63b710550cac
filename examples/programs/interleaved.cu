// The tree with interleaved addressing: threads 0, 2, 4, … then 0, 4, 8, … work, so every warp stays half busy.
//
// The kernel takes the addressing as a parameter, to compare it with sequential addressing.
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
enum class addressing { interleaved, sequential };

template <addressing order>
__global__ void sum_blocks(const int* x, int* sums) {
  extern __shared__ int cache[];
  const unsigned t = threadIdx.x;
  cache[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (order == addressing::interleaved) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
      if (t % (2 * stride) == 0) cache[t] += cache[t + stride];
      __syncthreads();
    }
  } else {
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
      if (t < stride) cache[t] += cache[t + stride];
      __syncthreads();
    }
  }
  if (t == 0) sums[blockIdx.x] = cache[0];
}

int main() {
  const int blocks = 6, threads = 256, n = blocks * threads;
  std::vector<int> x(n, 1), sums(blocks);
  int *d_x, *d_sums;
  CHECK(cudaMalloc(&d_x, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int total = 0;
  for (const addressing order : {addressing::interleaved, addressing::sequential}) {
    if (order == addressing::interleaved) {
      sum_blocks<addressing::interleaved><<<blocks, threads, threads * sizeof(int)>>>(d_x, d_sums);
    } else {
      sum_blocks<addressing::sequential><<<blocks, threads, threads * sizeof(int)>>>(d_x, d_sums);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (const int sum : sums) total += sum;
  }
  std::printf("sum %d of %d\n", total, 2 * n);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return total == 2 * n ? EXIT_SUCCESS : EXIT_FAILURE;
}
