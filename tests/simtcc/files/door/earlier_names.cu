// Names of earlier toolkits.
// notes: earlier_names\.cu:11: __shfl_down: CUDA has it for compute capabilities below 7\.0 only
// notes: earlier_names\.cu:12: __shfl: CUDA has it
// notes: earlier_names\.cu:19: cudaThreadSynchronize: of earlier toolkits; taken as cudaDeviceSynchronize
// notes: earlier_names\.cu:22: cudaThreadExit: of earlier toolkits; taken as cudaDeviceReset
// prints: ^496 1 4294967295$
#include <cstdio>
__global__ void sum(int* x, unsigned* votes) {
  int value = threadIdx.x;
  bool odd = value % 2;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  value = __shfl(value, 0);
  int neighbour = __shfl_xor_sync(0xffffffff, odd, 1);
  if (threadIdx.x == 0) x[0] = value, x[1] = neighbour, *votes = __ballot_sync(1, 1) | 0xfffffffe;
}
int main() {
  int *x, host[3];
  cudaMalloc(&x, 12), sum<<<1, 32>>>(x, (unsigned*)x + 2);
  cudaThreadSynchronize();
  cudaMemcpy(host, x, 12, cudaMemcpyDeviceToHost);
  printf("%d %d %u\n", host[0], host[1], host[2]);
  cudaThreadExit();
}
