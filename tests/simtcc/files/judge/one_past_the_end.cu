// status: 66
// prints: out_of_bounds in global memory \(buffer of 400 bytes \+ 400\): read by thread 4 of block 3 \(.*:LINE(add)\); fix: a guard such as if \(i < n\)
// prints: out_of_bounds in global memory \(buffer of 400 bytes \+ 400\): write by thread 4 of block 3 \(.*:LINE(add)\); fix: a guard such as if \(i < n\)
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = a[i] + b[i];  // add
}
int main() {
  const int n = 100;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&c, n * 4);
  cudaMemset(a, 0, n * 4), cudaMemset(b, 0, n * 4);
  add<<<4, 32>>>(a, b, c, n);
  cudaDeviceSynchronize();
}
