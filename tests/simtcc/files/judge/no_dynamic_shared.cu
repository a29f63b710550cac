// The launch lacks the bytes of the kernel's dynamic shared memory.
// status: 66
// prints: out_of_bounds in shared memory \(dynamic shared memory of 0 bytes \+ \d+\): write .*LINE(write)\); the launch gives the kernel no dynamic shared memory; fix: its bytes as the third value of <<<grid, block, bytes>>>
__global__ void reverse(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];  // write
  __syncthreads();
  x[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
  int* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  reverse<<<1, 32>>>(x);
  cudaDeviceSynchronize();
}
