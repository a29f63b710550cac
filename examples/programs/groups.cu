// The sums of elements with the same key, in three ways: by atomics in global memory, by a table in the shared memory of each
// block, and by 64-bit integers, whose order does not matter.
//
// Without atomics updates of a group are lost, as in racy.cu. Integers are multiples of 2^-32 here: elements must be below 2^31
// divided by their number, and what is smaller than 2^-33 becomes 0.
#include <cuda_runtime.h>

#include <cmath>
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

constexpr int groups = 10;

__global__ void atomic_groups(const float* x, const int* keys, int n, float* sums) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&sums[keys[i]], x[i]);
}

__global__ void private_tables(const float* x, const int* keys, int n, float* sums) {
  __shared__ float table[groups];
  if (threadIdx.x < groups) table[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&table[keys[i]], x[i]);
  __syncthreads();
  if (threadIdx.x < groups) atomicAdd(&sums[threadIdx.x], table[threadIdx.x]);
}

__global__ void fixed_point(const float* x, const int* keys, int n, unsigned long long* sums) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const long long steps = llrint(ldexp(static_cast<double>(x[i]), 32));
    atomicAdd(&sums[keys[i]], static_cast<unsigned long long>(steps));
  }
}

int main() {
  const int n = 3000;
  std::vector<float> x(n), sums(groups);
  std::vector<int> keys(n);
  std::vector<double> right(groups);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 7 - 3), keys[i] = i * i % groups;
    right[keys[i]] += x[i];
  }
  float *d_x, *d_sums;
  int* d_keys;
  unsigned long long *d_steps, steps[groups];
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_keys, n * sizeof(int)));
  CHECK(cudaMalloc(&d_sums, groups * sizeof(float)));
  CHECK(cudaMalloc(&d_steps, sizeof steps));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_steps, 0, sizeof steps));
  int wrong = 0;
  for (int way = 0; way < 2; ++way) {
    CHECK(cudaMemset(d_sums, 0, groups * sizeof(float)));
    if (way == 0) atomic_groups<<<4, 128>>>(d_x, d_keys, n, d_sums);
    if (way == 1) private_tables<<<4, 128>>>(d_x, d_keys, n, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, groups * sizeof(float), cudaMemcpyDeviceToHost));
    for (int group = 0; group < groups; ++group) wrong += sums[group] != right[group];
  }
  fixed_point<<<4, 128>>>(d_x, d_keys, n, d_steps);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(steps, d_steps, sizeof steps, cudaMemcpyDeviceToHost));
  for (int group = 0; group < groups; ++group) {
    wrong += std::ldexp(static_cast<double>(static_cast<long long>(steps[group])), -32) != right[group];
  }
  std::printf("%d of %d sums of groups are wrong\n", wrong, 3 * groups);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_keys));
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_steps));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
