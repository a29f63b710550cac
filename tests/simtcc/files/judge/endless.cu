// An endless loop that changes one word ends within seconds; its line and the variable that allows more are named.
// seconds: 25
// status: 66
// prints: livelock: loop by thread 0 of block 0 \(.*:LINE(loop)\);.*SIMTCC_STEPS
__global__ void k(volatile int* x) {
  while (true) x[0] = x[0] + 1;  // loop
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  k<<<1, 1>>>(x);
  cudaDeviceSynchronize();
}
