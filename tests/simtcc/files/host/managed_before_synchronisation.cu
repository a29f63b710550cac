// The host reads what a kernel writes, and writes what it reads, before it has waited for it.
// status: 66
// prints: missing_synchronisation in global memory \(buffer of 128 bytes \+ 0\): read by host code \(.*:LINE(early)\); other side: write by thread 0 of block 0 \(.*:LINE(kernel)\); the host has not waited for the kernel; fix: cudaDeviceSynchronize
// prints: missing_synchronisation .*: write by host code \(.*:LINE(overwrite)\); other side: read by
// silent: LINE(late)
// silent: LINE(other)
#include <cstdio>
__global__ void kernel(int* x, const int* y) {
  x[threadIdx.x] = 1 + y[threadIdx.x];  // kernel
}
int main() {
  int *x, *y, *z;
  cudaMallocManaged(&x, 128), cudaMallocManaged(&y, 128), cudaMallocManaged(&z, 128);
  for (int i = 0; i < 32; ++i) y[i] = i;
  kernel<<<1, 32>>>(x, y);
  z[0] = y[0];                // other
  std::printf("%d\n", x[0]);  // early
  y[0] = 3;                   // overwrite
  cudaDeviceSynchronize();
  std::printf("%d\n", x[1]);  // late
}
