// Float atomics without a race: the sums differ between seeds, which is a note with their spread.
// environment: SIMTCC_SEEDS=8
// prints: no findings in
// prints: note: order_dependent in global memory \(buffer of 8 bytes \+ 0\): sum by atomics by host code \(.*:LINE(floats)\); no race, but .*[2-8] results, from [0-9.]+ to
// silent: LINE(ones)
__global__ void add(float* sums) {
  atomicAdd(&sums[0], 1.0f / (1 + blockIdx.x * blockDim.x + threadIdx.x));  // floats
  atomicAdd(&sums[1], 1.0f);                                                // ones
}
int main() {
  float *sums, host[2];
  cudaMalloc(&sums, 8), cudaMemset(sums, 0, 8);
  add<<<2, 128>>>(sums);
  cudaMemcpy(host, sums, 8, cudaMemcpyDeviceToHost);
}
