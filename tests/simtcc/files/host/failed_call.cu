// A copy in the wrong direction, which nobody notices: a note, since the program may have looked at the result.
// prints: no findings in
// prints: note: failed_call \(cudaErrorInvalidValue: invalid argument\): call by host code \(.*:LINE(copy)\); the program has never asked for the error
int main() {
  int *x, host[4] = {};
  cudaMalloc(&x, 16);
  cudaMemcpy(x, host, 16, cudaMemcpyDeviceToHost);  // copy
}
