// An index beyond a shared array, and the access that follows it: one finding.
// status: 66
// prints: 1 finding in
// prints: out_of_bounds in array \('float ?\[128\]', index \d+\): index by thread \d+ of block 0 \(index_and_address\.cu:LINE(write)\)
__global__ void k(float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = 1;  // write
  __syncthreads();
  out[threadIdx.x] = s[0];
}
int main() {
  float* x;
  cudaMalloc(&x, 1024);
  k<<<1, 256>>>(x);
  cudaDeviceSynchronize();
}
