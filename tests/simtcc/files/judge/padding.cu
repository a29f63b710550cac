// Padding of a struct is no data.
// prints: ^9 3\.5$
#include <cstdio>
struct record {
  char kind;
  double value;
  short end;
};
__global__ void store(record* out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  out[i].kind = 9;
  out[i].value = 3.5;
  out[i].end = 1;
}
int main() {
  record host[5], *device, *copy;
  cudaMalloc(&device, sizeof host);
  cudaMalloc(&copy, sizeof host);
  store<<<1, 32>>>(device, 5);
  cudaMemcpy(copy, device, sizeof host, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy((void*)host, (void*)copy, sizeof host, cudaMemcpyDefault);
  unsigned char bytes[sizeof host];  // of records, as the other pointer says
  cudaMemcpy(bytes, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy2D(host, sizeof(record), device, sizeof(record), sizeof(record), 5, cudaMemcpyDeviceToHost);
  printf("%d %g\n", host[4].kind, host[4].value);
}
