// Two launches on different streams that use the same words, without an event: a write after a write, a read after a
// write, a write after a read; and memory that one stream allocates and another uses.
// status: 66
// prints: missing_synchronisation in global memory \(buffer of 128 bytes \+ \d+\): write by thread \d+ of block 0 \(.*:LINE(fill)\); other side: write by thread \d+ of block 0 \(.*:LINE(fill)\); nothing orders the streams of the two; fix: cudaDeviceSynchronize
// prints: missing_synchronisation in global memory .*: read by thread \d+ of block 0 \(.*:LINE(double)\); other side: write by thread \d+ of block 0 \(.*:LINE(fill)\); nothing orders
// prints: missing_synchronisation in global memory .*: write by thread \d+ of block 0 \(.*:LINE(double)\); other side: read by thread \d+ of block 0 \(.*:LINE(copy)\); nothing orders
// prints: missing_synchronisation in global memory \(buffer of 128 bytes \+ 0\): cudaMallocAsync by host code \(.*:LINE(allocation)\); other side: write by thread 0 of block 0 \(.*:LINE(fill)\); nothing orders
// prints: 4 findings
__global__ void fill(int* x) {
  x[threadIdx.x] = 1;  // fill
}
__global__ void twice(int* x) {
  x[threadIdx.x] *= 2;  // double
}
__global__ void copy(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];  // copy
}
__global__ void count(int* x) { atomicAdd(x, 1); }
int main() {
  int *x, *y, *z, *sum;
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreate(&two);
  cudaMalloc(&x, 128), cudaMalloc(&y, 128), cudaMalloc(&sum, 4);
  fill<<<1, 32, 0, one>>>(x);
  fill<<<1, 32, 0, two>>>(x);
  cudaDeviceSynchronize();
  fill<<<1, 32, 0, one>>>(y);
  twice<<<1, 32, 0, two>>>(y);
  cudaDeviceSynchronize();
  copy<<<1, 32, 0, one>>>(y, x);
  twice<<<1, 32, 0, two>>>(y);
  cudaDeviceSynchronize();
  cudaMallocAsync(&z, 128, one);  // allocation
  fill<<<1, 32, 0, two>>>(z);
  cudaDeviceSynchronize();
  cudaMemset(sum, 0, 4);
  count<<<1, 32, 0, one>>>(sum);  // atomic functions on both sides: any order will do
  count<<<1, 32, 0, two>>>(sum);
  return cudaDeviceSynchronize();
}
