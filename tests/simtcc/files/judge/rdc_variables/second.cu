extern __device__ int counter;
__global__ void read(int* out) { *out = counter; }
int read_counter() {
  int *out, host = 0;
  cudaMalloc(&out, sizeof(int));
  read<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}
