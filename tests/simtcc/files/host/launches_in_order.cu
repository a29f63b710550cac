// Launches and allocations on two streams that an event, a wait or the default stream orders; words of one launch each;
// and words that both only read.
// prints: no findings in 9 launches
__global__ void fill(int* x, int first) { x[first + threadIdx.x] = 1; }
__global__ void sum(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + x[32 + threadIdx.x]; }
int main() {
  int *x, *y, *z;
  cudaStream_t one, two;
  cudaEvent_t filled;
  cudaStreamCreate(&one), cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking), cudaEventCreate(&filled);
  cudaMalloc(&x, 256), cudaMalloc(&y, 128);
  cudaMallocAsync(&z, 256, one);
  cudaEventRecord(filled, one);
  fill<<<1, 32, 0, one>>>(x, 0);
  fill<<<1, 32, 0, two>>>(x, 32);  // other words
  cudaStreamWaitEvent(two, filled);
  fill<<<1, 32, 0, two>>>(z, 0);  // the event is after the allocation
  fill<<<1, 32, 0, two>>>(z, 32);
  cudaStreamSynchronize(two);
  sum<<<1, 32, 0, one>>>(x, y);
  sum<<<1, 32>>>(z, y);  // the default stream waits for one
  cudaDeviceSynchronize();
  sum<<<1, 32, 0, one>>>(x, y);
  sum<<<1, 32, 0, two>>>(x, z);  // both read x
  cudaEventRecord(filled, two);
  cudaStreamWaitEvent(one, filled);
  cudaFreeAsync(z, one);
  fill<<<1, 32, 0, one>>>(y, 0);
  cudaMemcpy(x, y, 128, cudaMemcpyDeviceToDevice);
  return cudaDeviceSynchronize();
}
