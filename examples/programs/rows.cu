// The sums of the rows of a matrix, in four ways: a thread, a warp or a block for each row, and several blocks that add to a row's
// sum atomically.
//
// The threads of a warp that each take a row read addresses a row apart; the lanes that share one read neighbours: `--profile`
// counts the sectors. With few rows, only blocks that share a row give every multiprocessor work.
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

__global__ void thread_a_row(const float* x, int rows, int length, float* sums) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float value = 0;
  for (int i = 0; i < length; ++i) value += x[row * length + i];
  sums[row] = value;
}

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void warp_a_row(const float* x, int rows, int length, float* sums) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float value = 0;
  for (int i = lane; i < length; i += 32) value += x[row * length + i];
  value = warp_sum(value);
  if (lane == 0) sums[row] = value;
}

// The first thread gets the sum of the block.
__device__ float block_sum(float value) {
  __shared__ float partials[32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return value;
  return warp_sum(threadIdx.x < blockDim.x / 32 ? partials[threadIdx.x] : 0);
}

__global__ void block_a_row(const float* x, int length, float* sums) {
  float value = 0;
  for (int i = threadIdx.x; i < length; i += blockDim.x) value += x[blockIdx.x * length + i];
  value = block_sum(value);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

__global__ void blocks_a_row(const float* x, int length, int blocks, float* sums) {
  const int row = blockIdx.x / blocks, first = blockIdx.x % blocks * blockDim.x + threadIdx.x;
  float value = 0;
  for (int i = first; i < length; i += blocks * blockDim.x) value += x[row * length + i];
  value = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(&sums[row], value);
}

int main() {
  const int rows = 6, length = 1000, threads = 128, blocks = 3;
  std::vector<float> x(rows * length), sums(rows);
  for (int i = 0; i < rows * length; ++i) x[i] = static_cast<float>(i / length + 1);
  float *d_x, *d_sums;
  CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, rows * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  int wrong = 0;
  for (int way = 0; way < 4; ++way) {
    CHECK(cudaMemset(d_sums, 0, rows * sizeof(float)));
    if (way == 0) thread_a_row<<<(rows + threads - 1) / threads, threads>>>(d_x, rows, length, d_sums);
    if (way == 1) warp_a_row<<<(32 * rows + threads - 1) / threads, threads>>>(d_x, rows, length, d_sums);
    if (way == 2) block_a_row<<<rows, threads>>>(d_x, length, d_sums);
    if (way == 3) blocks_a_row<<<blocks * rows, threads>>>(d_x, length, blocks, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, rows * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < rows; ++row) wrong += sums[row] != length * (row + 1);
  }
  std::printf("%d of %d sums of rows are wrong\n", wrong, 4 * rows);
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sums));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
