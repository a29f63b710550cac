// Variables of the device as the runtime's functions take them, variables that both sides have, and names like them.
// prints: ^20 4 7 9 3 5
// prints: no findings
#include <cstdio>
#include <vector>

__device__ int total;
__constant__ float weights[4];
__constant__ const int limit = 4;
__device__ int* list;
__managed__ int both = 1;
__device__ float matrix[4][8];
__device__ float rest[8];
__device__ float* of_rest = rest;
const int n = 8, table[] = {4, 5};
constexpr int width = 4;
static int scale = 2;  // of the host
int of_host[4] = {7, 8, 9, 10};

struct counter {
  int total, scale;
  __device__ int twice() const { return total + scale; }
};

template <int scale>
__device__ int scaled(int x) {
  return x * scale;
}

__device__ int sum(int scale, const int (&of_host)[2]) {
  int a = 1, total = scale * a;
  return total + of_host[1];
}

__global__ void add(counter one) {
  int of_host[2] = {0, 0};
  const int products = threadIdx.x * one.scale;
  atomicAdd(&total, n / width + scaled<2>(1) + sum(0, of_host) + one.twice() - 2 + products * 0);
  if (threadIdx.x == 0) list[0] = limit + static_cast<int>(sizeof(::of_host)) * 0, both = 9;
  matrix[threadIdx.x % 4][0] = weights[threadIdx.x % 4];
}

__global__ void twice(float* x) { *x *= 1; }

int main() {
  const int zero = 0;
  int result = 0, first = 0, size = 0;
  const float four[4] = {1, 2, 3, 4};
  int* memory;
  cudaMalloc(&memory, sizeof(int));
  cudaMemcpyToSymbol(total, &zero, sizeof total);
  cudaMemcpyToSymbol(weights, four, sizeof four);
  cudaMemcpyToSymbol(list, &memory, sizeof memory);
  std::size_t bytes = 0;
  cudaGetSymbolSize(&bytes, weights);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, total);
  cudaMemset(address, 0, sizeof(int));
  float* by_pointer;
  cudaGetSymbolAddress((void**)&by_pointer, matrix);
  const float five = 5;
  cudaMemcpy(by_pointer + 1, &five, sizeof five, cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(by_pointer + 1);
  add<<<1, 4>>>({1, scale});
  cudaDeviceSynchronize();
  float *of_device, row[8], second;
  cudaMemcpyFromSymbol(&of_device, of_rest, sizeof of_device);
  twice<<<1, 1>>>(of_device + 2);
  cudaMemcpyFromSymbol(&second, matrix, sizeof second, sizeof second);
  cudaMemcpyFromSymbol(&result, total, sizeof result);
  cudaMemcpy(&first, memory, sizeof first, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(row, matrix, sizeof row, sizeof row * 2);
  std::printf("%d %d %d %d %g %g\n", result, first, of_host[0], both, row[0], second);
  return size;
}
