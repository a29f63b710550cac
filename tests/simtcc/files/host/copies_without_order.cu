// Copies and fills of two streams on one buffer, and memory that a stream releases before another has read it.
// status: 66
// prints: missing_synchronisation in global memory \(buffer of 512 bytes \+ 256\): cudaMemsetAsync by host code \(.*:LINE(fill)\); other side: cudaMemcpyAsync by host code \(.*:LINE(input)\); nothing orders the streams of the two
// prints: missing_synchronisation in global memory .*: cudaMemcpyAsync by host code \(.*:LINE(result)\); other side: cudaMemsetAsync by host code \(.*:LINE(fill)\); nothing orders the streams of the two
// prints: missing_synchronisation in global memory .*: cudaFreeAsync by host code \(.*:LINE(release)\); other side: read by thread 0 of block 0 \(.*:LINE(kernel)\); nothing orders the streams of the two
// prints: 3 findings
__global__ void kernel(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];  // kernel
}
int main() {
  int *x, *y, *z, *host;
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreate(&two);
  cudaMalloc(&x, 512), cudaMalloc(&y, 128), cudaMalloc(&z, 128), cudaMallocHost(&host, 512);
  cudaMemcpyAsync(x, host, 512, cudaMemcpyHostToDevice, one);  // input
  cudaMemsetAsync(x + 64, 0, 256, two);                        // fill
  cudaMemcpyAsync(host, x + 96, 64, cudaMemcpyDeviceToHost, one);  // result
  cudaDeviceSynchronize();
  // in order: by an event, and by reads of both streams
  cudaEvent_t filled;
  cudaEventCreate(&filled);
  cudaMemsetAsync(x, 0, 512, one);
  cudaEventRecord(filled, one);
  cudaStreamWaitEvent(two, filled, 0);
  cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, two);
  cudaMemcpyAsync(host + 64, x, 128, cudaMemcpyDeviceToHost, one);
  cudaMemsetAsync(z, 0, 128, two);
  cudaFreeAsync(z, two);
  cudaDeviceSynchronize();
  kernel<<<1, 32, 0, one>>>(x, y);
  cudaFreeAsync(x, two);  // release
  cudaDeviceSynchronize();
  cudaFree(y);
  cudaFreeHost(host);
}
