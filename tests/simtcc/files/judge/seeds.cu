// A mask fault and a lane fault on one line are two findings, each with at most as many seeds as there are.
// environment: SIMTCC_SEEDS=3
// status: 66
// prints: missing_lanes: shuffle.*LINE(shuffle)\); other side: mask without the calling lane.*with 3 seeds of 3
// prints: missing_lanes \(lane 20 is not in the mask\).*LINE(shuffle)\).*with 3 seeds of 3
// prints: 2 findings in
// silent: with [4-9] seeds
__global__ void k(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffff, (int)threadIdx.x, 20);  // shuffle
}
int main() {
  int* out;
  cudaMalloc(&out, 128);
  k<<<1, 32>>>(out);
  cudaDeviceSynchronize();
}
