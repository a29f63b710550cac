// Right: each of these waits.
#include <cstdio>
__global__ void kernel(int* x) { x[threadIdx.x] = 1; }
int main() {
  int *x, *y, *device;
  cudaStream_t stream, other;
  cudaEvent_t event;
  cudaStreamCreate(&stream), cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaEventCreate(&event);
  cudaMallocManaged(&x, 128), cudaMallocHost(&y, 128), cudaMalloc(&device, 128);
  kernel<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  x[0] = 2;
  kernel<<<1, 32, 0, stream>>>(x);
  cudaStreamSynchronize(stream);
  x[0] = 2;
  kernel<<<1, 32, 0, stream>>>(device);
  cudaMemcpyAsync(y, device, 128, cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  std::printf("%d %d\n", x[0], y[0]);
  kernel<<<1, 32, 0, stream>>>(device);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event, 0);
  cudaMemcpyAsync(y, device, 128, cudaMemcpyDeviceToHost, other);
  cudaStreamSynchronize(other);
  std::printf("%d\n", y[1]);
  kernel<<<1, 32, 0, stream>>>(device);
  cudaMemcpy(y, device, 128, cudaMemcpyDeviceToHost);  // the default stream waits for blocking ones
  std::printf("%d\n", y[2]);
  cudaMemset(device, 0, 128);
  kernel<<<1, 32, 0, stream>>>(device);
  cudaDeviceSynchronize();
}
