// An element of a row that nothing has written is no padding.
// status: 66
// prints: ^simtcc: uninitialised_global .* \+ 28\): cudaMemcpy2D by host code \(.*:LINE(copy)\)
// prints: ^simtcc: uninitialised_global .* \+ 28\): cudaMemcpy2DAsync by host code \(.*:LINE(copy in a stream)\)
__global__ void store(float* rows, size_t pitch, int width) {
  if (threadIdx.x < width - 1) ((float*)((char*)rows + threadIdx.y * pitch))[threadIdx.x] = 1;
}
int main() {
  constexpr int width = 8, height = 4;
  float host[height][width], *device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, sizeof host[0], height);
  store<<<1, dim3(width, height)>>>(device, pitch, width);
  cudaMemcpy2D(host, sizeof host[0], device, pitch, sizeof host[0], height, cudaMemcpyDeviceToHost);  // copy
  const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
  cudaMemcpy2DAsync(host, sizeof host[0], device, pitch, sizeof host[0], height, kind);  // copy in a stream
  cudaDeviceSynchronize();
}
