// A member that nobody has written is no padding.
// status: 66
// prints: ^simtcc: uninitialised_global in global memory \(buffer of 96 bytes \+ 16\): cudaMemcpy by host code \(.*:LINE(copy)\)
struct record {
  char kind;
  double value;
  short end;
};
__global__ void store(record* out) {
  out[threadIdx.x].kind = 9;
  out[threadIdx.x].value = 3.5;
}
int main() {
  record host[4], *device;
  cudaMalloc(&device, sizeof host);
  store<<<1, 4>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);  // copy
}
