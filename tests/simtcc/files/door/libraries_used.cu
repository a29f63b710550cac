// refused: libraries_used\.cu:9: simtcc: cufftHandle: cuFFT is not modelled
// refused: libraries_used\.cu:10: simtcc: cufftPlan1d: cuFFT is not modelled
// refused: libraries_used\.cu:11: simtcc: nvcuda: tensor cores \(WMMA\) are not modelled
// refused: libraries_used\.cu:14: simtcc: cublasGemmEx: this part of cuBLAS is not modelled
#include <cublas_v2.h>
#include <cufft.h>
#include <mma.h>
int main() {
  cufftHandle plan;
  cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasGemmEx(handle);
}
