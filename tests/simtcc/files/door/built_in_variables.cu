// The built-in variables wherever a dim3 or uint3 may stand.
// prints: 6 6 2 3 6$
// prints: no findings
#include <cstdio>
__device__ unsigned volume(const dim3& size) { return size.x * size.y * size.z; }
template <class Size>
__device__ unsigned width(Size size) { return size.x; }
__global__ void kernel(unsigned* out, bool other) {
  const dim3 copied = blockDim, initialised(blockDim), chosen = other ? dim3(7) : blockDim;
  dim3 changed{gridDim};
  changed.x += 1, changed = blockDim;
  const uint3 thread = threadIdx;
  auto kept = blockDim;
  if (blockIdx.x + thread.x + thread.y != 0) return;
  out[0] = volume(copied), out[1] = volume(blockDim), out[2] = width(gridDim), out[3] = width(chosen);
  out[4] = initialised.x * changed.y * kept.z;
}
int main() {
  unsigned *device, host[5];
  cudaMalloc(&device, sizeof host);
  kernel<<<2, dim3(3, 2)>>>(device, false);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%u %u %u %u %u\n", host[0], host[1], host[2], host[3], host[4]);
}
