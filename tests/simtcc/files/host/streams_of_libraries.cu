// Work in order on streams that do not wait for the default one: Thrust and CUB on a stream, columns of one matrix, one
// executable graph on two streams, a flag that a function of the host sets; blocks of the size that occupancy suggests.
// prints: ^70 64 3$
// prints: no findings
#include <cstdio>
#include <atomic>
#include <cub/cub.cuh>
#include <thread>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
__global__ void add(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void __launch_bounds__(64) column(char* x) { x[128 * blockIdx.x + threadIdx.x] = 1; }
std::atomic<int> flag{0};
int main() {
  int *x, *sum, host = 0, grid = 0, block = 0;
  char *table, *rows;
  void* memory;
  size_t bytes = 0;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaMalloc(&x, 256), cudaMalloc(&sum, 4), cudaMalloc(&table, 1024), cudaMallocHost(&rows, 1024);
  cudaMemset(x, 0, 256), cudaMemset(table, 0, 1024);
  add<<<1, 64, 0, a>>>(x);
  const int first = thrust::reduce(thrust::cuda::par.on(a), thrust::device_ptr<int>(x), thrust::device_ptr<int>(x) + 64, 6);
  add<<<1, 64, 0, a>>>(x);
  thrust::fill(thrust::cuda::par.on(a), thrust::device_ptr<int>(x), thrust::device_ptr<int>(x) + 64, 1);
  cub::DeviceReduce::Sum(nullptr, bytes, x, sum, 64, a);
  cudaMalloc(&memory, bytes);
  cub::DeviceReduce::Sum(memory, bytes, x, sum, 64, a);
  cudaMemcpyAsync(&host, sum, 4, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  const int second = host;

  cudaMemset2DAsync(table, 128, 0, 64, 8, a);
  cudaMemcpy2DAsync(rows, 128, table, 128, 64, 8, cudaMemcpyDeviceToHost, a);
  column<<<8, 64, 0, b>>>(table + 64);
  rows[64] = 1;  // between the rows of the copy
  cudaDeviceSynchronize();

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, a>>>(x);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, a), cudaGraphLaunch(executable, b);
  cudaLaunchHostFunc(b, [](void*) { flag = 1; }, nullptr);
  while (flag == 0) std::this_thread::yield();
  cudaMemcpyAsync(&host, x, 4, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  std::printf("%d %d %d\n", first, second, host);

  cudaOccupancyMaxPotentialBlockSize(&grid, &block, column, 0, 0);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, column);
  column<<<1, block>>>(table);
  if (block != 64 || attributes.maxThreadsPerBlock != 64) std::printf("block of %d\n", block);
  return cudaDeviceSynchronize();
}
