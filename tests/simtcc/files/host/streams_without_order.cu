// Copies on another stream than their kernel, without an event; and a host that does not wait for a copy.
// status: 66
// prints: missing_synchronisation in global memory .*: cudaMemcpyAsync by host code \(.*:LINE(result)\); other side: write by thread 0 of block 0 \(.*:LINE(kernel)\); nothing orders the streams of the two
// prints: missing_synchronisation in global memory .*: cudaMemcpyAsync by host code \(.*:LINE(input)\); other side: read by
// prints: missing_synchronisation in global memory .*: read by host code \(.*:LINE(early)\); other side: cudaMemcpyAsync by host code \(.*:LINE(result)\); the host has not waited for the copy
// prints: 3 findings
#include <cstdio>
__global__ void kernel(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];  // kernel
}
int main() {
  int *x, *y, *host;
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreate(&two);
  cudaMalloc(&x, 128), cudaMalloc(&y, 128), cudaMallocHost(&host, 128);
  cudaMemcpyAsync(x, host, 128, cudaMemcpyHostToDevice, one);  // input
  kernel<<<1, 32, 0, two>>>(x, y);
  cudaMemcpyAsync(host, y, 128, cudaMemcpyDeviceToHost, one);  // result
  std::printf("%d\n", host[0]);                                // early
  cudaDeviceSynchronize();
}
