// Input that a grid leaves out, in memory that the program never releases; --json has notes of their own.
// environment: SIMTCC_JSON=/dev/stdout
// prints: note: unread_global in global memory \(buffer of 4000 bytes \+ 3072\): last read by thread 255 of block 2 \(.*:LINE(read)\); nothing reads the 232 words
// prints: "findings": \[\],
// prints: "notes": \[
#include <vector>
__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];  // read
}
int main() {
  const int n = 1000;
  std::vector<float> host(n);
  float *x, *y;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4);
  cudaMemcpy(x, host.data(), n * 4, cudaMemcpyHostToDevice);
  scale<<<n / 256, 256>>>(x, y, n);
  cudaMemcpy(host.data(), y, 768 * 4, cudaMemcpyDeviceToHost);
}
