// A byte of an image that nothing has written is no padding.
// status: 66
// prints: ^simtcc: uninitialised_global .*512 bytes \+ 15\): cudaMemcpy by host code \(.*:LINE(copy)\)
#include <vector>
__global__ void invert(unsigned char* image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width - 1 && y < height) image[y * width + x] = 255;
}
int main() {
  constexpr int width = 16, height = 32;
  std::vector<unsigned char> host(width * height);
  unsigned char* device;
  cudaMalloc(&device, host.size());
  invert<<<dim3(1, 2), dim3(16, 16)>>>(device, width, height);
  cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost);  // copy
}
