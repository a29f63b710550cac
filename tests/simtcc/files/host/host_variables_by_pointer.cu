// A kernel gets the address of a variable of the host.
// status: 66
// prints: ^simtcc: out_of_bounds in global memory \(host memory, variable data \+ 4 bytes\): read by thread 1 of block 0 \(host_variables_by_pointer.cu:LINE(read)\); a kernel cannot use the host's memory; fix: memory of cudaMalloc and cudaMemcpy, or managed memory
// environment: SIMTCC_SEED=2
float data[10];

__global__ void k(const float* x, float* y) {
  if (threadIdx.x == 1) y[threadIdx.x] = x[threadIdx.x];  // read
}
int main() {
  float* y;
  cudaMalloc(&y, sizeof data);
  k<<<1, 10>>>(data, y);
  cudaDeviceSynchronize();
}
