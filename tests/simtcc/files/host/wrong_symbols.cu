// Symbols that are none: a name as a text, an address, a variable of the host.
// prints: ^invalid device symbol, invalid device symbol, invalid device symbol, invalid argument, no error$
// prints: no findings
#include <cstdio>
__constant__ float weights[4];
float of_host[4];

__global__ void use(float* x) { x[threadIdx.x] = weights[threadIdx.x]; }

int main() {
  const float four[4] = {1, 2, 3, 4};
  const cudaError_t by_name = cudaMemcpyToSymbol("weights", four, 4);
  const cudaError_t by_address = cudaMemcpyToSymbol(&weights, four, 8);
  const cudaError_t other = cudaMemcpyToSymbol(of_host, four, sizeof four);
  const cudaError_t too_long = cudaMemcpyToSymbol(weights, four, sizeof four, 4);
  const cudaError_t right = cudaMemcpyToSymbol(weights, four, sizeof four);
  std::printf("%s, %s, %s, %s, %s\n", cudaGetErrorString(by_name), cudaGetErrorString(by_address),
              cudaGetErrorString(other), cudaGetErrorString(too_long), cudaGetErrorString(right));
  cudaGetLastError();
  float* x;
  cudaMalloc(&x, sizeof four);
  use<<<1, 4>>>(x);
  return cudaDeviceSynchronize();
}
