// An endless loop in registers ends too; its report counts basic blocks.
// environment: SIMTCC_STEPS=100000
// status: 66
// prints: livelock: loop by thread 0 of block 0 .*; 1000000 basic blocks have not ended the launch;.*SIMTCC_STEPS
__global__ void iterate(double* out) {
  double x = *out;
  while (x < 2) x = 3.9 * x * (1 - x);
  *out = x;
}
int main() {
  double start = 0.1, *x;
  cudaMalloc(&x, sizeof start);
  cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice);
  iterate<<<1, 1>>>(x);
  cudaDeviceSynchronize();
}
