// silent: failed_call
int main() {
  int *x, host[4] = {};
  cudaMalloc(&x, 16);
  cudaMemcpy(x, host, 16, cudaMemcpyDeviceToHost);
  return cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1;
}
