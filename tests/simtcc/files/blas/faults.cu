// Operands of cuBLAS that are too small, released, unwritten or on the wrong side, at the lines of their calls.
// status: 66
// prints: out_of_bounds in global memory \(buffer of 48 bytes \+ 48\): cublasSgemm by host code \(.*:LINE(small)\); cublasSgemm reads A, 4 x 4 with leading dimension 4
// prints: out_of_bounds in global memory \(buffer of 64 bytes \+ 72\): cublasSgemm by host code \(.*:LINE(result)\); cublasSgemm writes C, 4 x 4 with leading dimension 6
// prints: out_of_bounds in global memory \(released buffer of 64 bytes \+ 0\): cublasSdot by host code \(.*:LINE(released)\)
// prints: uninitialised_global in global memory \(buffer of 64 bytes \+ 0\): cublasSnrm2 by host code \(.*:LINE(unwritten)\)
// prints: out_of_bounds in global memory \(host memory\): cublasSaxpy by host code \(.*:LINE(host)\)
// prints: host_access in global memory \(buffer of 64 bytes\): cublasSasum by host code \(.*:LINE(mode)\); .*CUBLAS_POINTER_MODE_HOST
// prints: out_of_bounds in global memory \(buffer of 48 bytes \+ 48\): cublasSetVector by host code \(.*:LINE(set)\)
// prints: missing_synchronisation in global memory .*: cublasSscal by host code \(.*:LINE(stream)\); other side: write by
// prints: ^13 13 13 13 13 7 11
// prints: faults\.cu:LINE(leading): simtcc: cublasSgemm: lda is 3; expected 4 or more
// prints: 9 findings
#include <cublas_v2.h>
#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] = 1; }
int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  float *small, *a, *b, *c, *unwritten, *released;
  cudaMalloc(&small, 48), cudaMalloc(&a, 64), cudaMalloc(&b, 64), cudaMalloc(&c, 64), cudaMalloc(&unwritten, 64);
  cudaMalloc(&released, 64), cudaMemset(released, 0, 64), cudaFree(released);
  cudaMemset(small, 0, 48), cudaMemset(a, 0, 64), cudaMemset(b, 0, 64), cudaMemset(c, 0, 64);
  float host[16] = {}, one = 1, zero = 0, result;
  int s[7];
  s[0] = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, small, 4, b, 4, &zero, c, 4);  // small
  s[1] = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, b, 4, &zero, c, 6);      // result
  s[2] = cublasSdot(h, 16, released, 1, a, 1, &result);                                         // released
  cublasSnrm2(h, 16, unwritten, 1, &result);                                                    // unwritten
  s[3] = cublasSaxpy(h, 16, &one, host, 1, a, 1);                                               // host
  s[4] = cublasSaxpy(h, 16, &one, host, 1, a, 1) ? 13 : 0;                                      // again
  cublasSasum(h, 16, a, 1, b);                                                                  // mode
  s[5] = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 3, b, 4, &zero, c, 4);      // leading
  s[6] = cublasSetVector(16, sizeof(float), host, 1, small, 1);                                 // set
  cudaStream_t one_stream, two;
  cudaStreamCreate(&one_stream), cudaStreamCreate(&two);
  fill<<<1, 16, 0, one_stream>>>(c);
  cublasSetStream(h, two);
  cublasSscal(h, 16, &one, c, 1);  // stream
  cudaDeviceSynchronize();
  for (int each : s) std::printf("%d ", each);
  std::printf("\n%d\n", static_cast<int>(cublasDestroy(h)));
}
