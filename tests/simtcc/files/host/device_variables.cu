// The host uses variables of the device by their names: it has variables of its own, which the device never sees.
// status: 66
// prints: ^simtcc: host_access in global memory \(__device__ variable total\): write by host code \(device_variables.cu:LINE(write)\); the host sees a copy of its own, not the device's variable; fix: cudaMemcpyToSymbol
// prints: ^simtcc: host_access in global memory \(__device__ variable total\): read by host code \(device_variables.cu:LINE(read)\).*fix: cudaMemcpyFromSymbol
// prints: ^simtcc: host_access in global memory \(__constant__ variable weights\): write by host code \(device_variables.cu:LINE(weight)\)
// prints: ^simtcc: host_access in global memory \(__device__ variable flags\): write by host code \(device_variables.cu:LINE(block)\)
// prints: ^simtcc: host_access in global memory \(__device__ variable unused\): read by host code \(device_variables.cu:LINE(argument)\)
// prints: ^simtcc: host_access in global memory \(__device__ variable data\): address by host code \(device_variables.cu:LINE(pointer)\); the host has the address of a copy of its own, not of the device's variable; fix: cudaGetSymbolAddress
// prints: ^simtcc: host_access in global memory \(__device__ variable data\): cudaMemcpy by host code \(device_variables.cu:LINE(as_host)\)
// prints: ^simtcc: 7 findings
// prints: note: failed_call \(cudaErrorInvalidValue: invalid argument\): call by host code \(device_variables.cu:LINE(refused)\)
#include <cstdio>
#include <cstring>

struct pair {
  int a, b;
};
__device__ int total = 3, unused;
__constant__ float weights[4];
namespace inner {
static __device__ unsigned char flags[300];
}
__device__ pair last = {1, 2};

__device__ float data[4];
__global__ void first(const float* x, float* out) { out[0] = x[0]; }

__global__ void add(int x, float* out) {
  atomicAdd(&total, 1);
  out[0] = weights[1] + inner::flags[2] + last.a + x;
}

int main() {
  float* out;
  cudaMalloc(&out, sizeof(float));
  total = 0;             // write
  weights[1] = 2;        // weight
  std::memset(inner::flags, 0, sizeof inner::flags);  // block
  add<<<1, 1>>>(unused, out);  // argument
  first<<<1, 1>>>(data, out);  // pointer
  cudaDeviceSynchronize();
  cudaMemcpy(out, data, sizeof(float), cudaMemcpyHostToDevice);  // as_host
  if (cudaMemcpy(data, out, sizeof(float), cudaMemcpyDeviceToDevice) == cudaSuccess) return 1;  // refused
  std::printf("%d\n", total);  // read
}
