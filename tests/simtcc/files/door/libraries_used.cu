// refused: libraries_used\.cu:7: simtcc: cublasHandle_t: cuBLAS is not modelled
// refused: libraries_used\.cu:8: simtcc: cublasCreate: cuBLAS is not modelled
// refused: libraries_used\.cu:9: simtcc: nvcuda: tensor cores \(WMMA\) are not modelled
#include <cublas_v2.h>
#include <mma.h>
int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
}
