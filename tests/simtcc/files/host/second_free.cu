// status: 66
// prints: second_free in global memory \(released buffer of 64 bytes\): cudaFree by host code \(.*:LINE(second)\); fix: 
// prints: 1 finding in
// silent: failed_call
int main() {
  int *x, *y;
  cudaMalloc(&x, 64);
  cudaFree(x);
  cudaFree(x);  // second
  cudaMalloc(&y, 64);
  cudaFree(y), cudaFree(nullptr);
}
