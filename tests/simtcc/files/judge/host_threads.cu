// Host threads that allocate, copy and launch at once.
// prints: ^right$
#include <cstdio>
#include <thread>
#include <vector>
__global__ void fill(int* x, int n, int value) {
  __shared__ int tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = value;
  __syncthreads();
  if (i < n) x[i] = tile[63 - threadIdx.x] + i;
}
int wrong[8];
void work(int thread) {
  for (int round = 0; round < 30; ++round) {
    const int n = 200;
    std::vector<int> host(n);
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    fill<<<4, 64>>>(x, n, 1000 * thread + round);
    cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) wrong[thread] += host[i] != 1000 * thread + round + i;
    cudaFree(x);
    for (int i = 0; i < 200; ++i) {
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      cudaMallocAsync(&x, 4, stream);
      cudaMemsetAsync(x, 0, 4, stream);
      cudaFreeAsync(x, stream);
      cudaStreamDestroy(stream);
    }
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work, i);
  for (std::thread& each : threads) each.join();
  int sum = 0;
  for (int each : wrong) sum += each;
  printf(sum == 0 && cudaGetLastError() == cudaSuccess ? "right\n" : "%d wrong\n", sum);
}
