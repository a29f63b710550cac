// What the host copies, a copy on the device reads, or only a later launch reads, is read. So is managed memory.
// silent: note:
__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void part(const int* x, int* sum, int first, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first + n) atomicAdd(sum, x[i]);
}
int main() {
  const int n = 1000;
  int *x, *y, *z, *managed, *sum, *host = new int[n];
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4), cudaMalloc(&z, n * 4), cudaMallocManaged(&managed, n * 4);
  cudaMalloc(&sum, 4), cudaMemset(sum, 0, 4);
  fill<<<4, 256>>>(x, n), fill<<<4, 256>>>(y, n), fill<<<4, 256>>>(managed, n);
  part<<<3, 256>>>(x, sum, 0, 768), part<<<1, 256>>>(x, sum, 768, n - 768);
  part<<<3, 256>>>(y, sum, 0, 768), cudaMemcpy(z, y, n * 4, cudaMemcpyDeviceToDevice);
  part<<<3, 256>>>(managed, sum, 0, 768);
  cudaMemcpy(host, z, n * 4, cudaMemcpyDeviceToHost);
}
