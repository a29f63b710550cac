// A second launch adds fewer partial sums than the first one leaves: a note, which changes no status.
// prints: no findings in 2 launches
// prints: note: unread_global in global memory \(buffer of 384 bytes \+ 256\): write by thread 0 of block 64 \(.*:LINE(partial)\); other side: last read by thread \d+ of block 0 \(.*:LINE(read)\); nothing reads the 32 words from here to the end, of 96 words that kernels wrote
// silent: note: .*buffer of 4
__global__ void sums(const int* x, int* partial) {
  if (threadIdx.x == 0) partial[blockIdx.x] = x[blockIdx.x];  // partial
}
__global__ void add(const int* partial, int* sum) {
  atomicAdd(sum, partial[threadIdx.x]);  // read
}
int main() {
  int *x, *partial, *sum, host;
  cudaMalloc(&x, 384), cudaMalloc(&partial, 384), cudaMalloc(&sum, 4);
  cudaMemset(x, 0, 384), cudaMemset(sum, 0, 4);
  sums<<<96, 32>>>(x, partial);
  add<<<1, 64>>>(partial, sum);
  cudaMemcpy(&host, sum, 4, cudaMemcpyDeviceToHost);
  cudaFree(x), cudaFree(partial), cudaFree(sum);
}
