// Without a BLAS of the host a program that uses cuBLAS ends, with a sentence.
// options: -lcublas
// environment: SIMTCC_CBLAS=
// status: 2
// prints: no_blas\.cu:LINE(create): simtcc: cublasCreate: SIMTCC_CBLAS=: no library with the functions of cblas\.h
// silent: reached
#include <cublas_v2.h>
#include <cstdio>
int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);  // create
  std::printf("reached\n");
}
