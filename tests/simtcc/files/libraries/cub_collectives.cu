// CUB's reductions and scans of blocks and warps, and those of device memory.
// prints: ^all right$
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

template <int threads>
__global__ void sums_of_blocks(const int* x, int* sums, int* maxima, int* prefixes, int* exclusive, int* warps) {
  typedef cub::BlockReduce<int, threads> BlockReduce;
  using BlockScan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using WarpReduce = cub::WarpReduce<int>;
  __shared__ union {
    typename BlockReduce::TempStorage reduce;
    typename BlockScan::TempStorage scan;
  } temp;
  __shared__ typename WarpReduce::TempStorage of_warps[threads / 32];
  const int i = blockIdx.x * threads + threadIdx.x;
  const int sum = BlockReduce(temp.reduce).Sum(x[i]);
  __syncthreads();
  const int largest = BlockReduce(temp.reduce).Reduce(x[i], cub::Max(), threads / 2);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum, maxima[blockIdx.x] = largest;
  __syncthreads();
  int all = 0;
  BlockScan(temp.scan).InclusiveSum(x[i], prefixes[i], all);
  __syncthreads();
  int before[2] = {x[i], 1};
  BlockScan(temp.scan).ExclusiveSum(before, before);
  exclusive[i] = before[1];
  const int of_warp = WarpReduce(of_warps[threadIdx.x / 32]).Sum(x[i]);
  if (threadIdx.x % 32 == 0) warps[i / 32] = of_warp + (all != prefixes[i - threadIdx.x + threads - 1]);
}

#define CHECK(condition) \
  if (!(condition)) return std::printf("line %d\n", __LINE__), 1

int main() {
  constexpr int n = 256, block = 128;
  int *x, *out[5], host[n], found[n];
  for (int i = 0; i < n; ++i) host[i] = (i * 37) % 101 - 50;
  cudaMalloc(&x, sizeof host);
  for (int*& each : out) cudaMalloc(&each, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  sums_of_blocks<block><<<n / block, block>>>(x, out[0], out[1], out[2], out[3], out[4]);
  const auto fetch = [&](const int* from, int count) {
    CubDebugExit(cudaMemcpy(found, from, count * sizeof(int), cudaMemcpyDeviceToHost));
  };
  for (int b = 0; b < n / block; ++b) {
    int sum = 0, largest = -1000, prefix[block], warps[block / 32] = {};
    for (int i = 0; i < block; ++i) {
      const int value = host[b * block + i];
      prefix[i] = sum += value;
      warps[i / 32] += value;
      if (i < block / 2 && value > largest) largest = value;
    }
    fetch(out[0], 2);
    CHECK(found[b] == sum);
    fetch(out[1], 2);
    CHECK(found[b] == largest);
    fetch(out[2], n);
    for (int i = 0; i < block; ++i) CHECK(found[b * block + i] == prefix[i]);
    fetch(out[3], n);
    for (int i = 0; i < block; ++i) CHECK(found[b * block + i] == prefix[i] + i);
    fetch(out[4], n / 32);
    for (int i = 0; i < block / 32; ++i) CHECK(found[b * block / 32 + i] == warps[i]);
  }

  std::size_t bytes = 0;
  void* temp = nullptr;
  cub::DeviceReduce::Sum(temp, bytes, x, out[0], n);
  cudaMalloc(&temp, bytes);
  CubDebugExit(cub::DeviceReduce::Sum(temp, bytes, x, out[0], n));
  CubDebugExit(cub::DeviceReduce::Min(temp, bytes, x, out[0] + 1, n));
  fetch(out[0], 2);
  int sum = 0, least = 0;
  for (int value : host) sum += value, least = value < least ? value : least;
  CHECK(found[0] == sum && found[1] == least);
  CubDebugExit(cub::DeviceScan::ExclusiveSum(temp, bytes, x, out[1], n));
  fetch(out[1], n);
  for (int i = 0, before = 0; i < n; before += host[i++]) CHECK(found[i] == before);
  CubDebugExit(cub::DeviceScan::InclusiveScan(temp, bytes, x, out[1], cub::Max(), n));
  fetch(out[1], n);
  CHECK(found[0] == host[0] && found[n - 1] == 50);
  CubDebugExit(cub::DeviceRadixSort::SortPairs(temp, bytes, x, out[1], x, out[2], n));
  fetch(out[1], n);
  for (int i = 1; i < n; ++i) CHECK(found[i - 1] <= found[i]);
  fetch(out[2], 1);
  CHECK(found[0] == least);
  CubDebugExit(cub::DeviceRadixSort::SortKeysDescending(temp, bytes, x, out[1], n));
  fetch(out[1], 2);
  CHECK(found[0] == 50 && found[1] <= 50);

  float *floats, keys[] = {1, -0.5F, -3, 2.5F, -1e30F}, sorted[5];
  cudaMalloc(&floats, 2 * sizeof keys);
  cudaMemcpy(floats, keys, sizeof keys, cudaMemcpyHostToDevice);
  CubDebugExit(cub::DeviceRadixSort::SortKeys(temp, bytes, floats, floats + 5, 5));
  cudaMemcpy(sorted, floats + 5, sizeof sorted, cudaMemcpyDeviceToHost);
  CHECK(sorted[0] == -1e30F && sorted[1] == -3 && sorted[2] == -0.5F && sorted[4] == 2.5F);
  bytes = 1;
  CHECK(cub::DeviceReduce::Sum(temp, bytes, x, out[0], n) == cudaErrorInvalidValue);
  cudaFree(temp), cudaFree(x), cudaFree(floats);
  for (int* each : out) cudaFree(each);
  std::puts("all right");
}
