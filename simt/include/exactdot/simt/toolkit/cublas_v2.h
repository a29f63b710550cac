// cuBLAS for programs that simtcc compiles: vectors, and products of matrices, of float and double. Names: CUDA's
// header of this name.
//
// The host's BLAS computes them on copies of the operands; what is read and written is checked as a copy's operands
// are. Sums are in the order of that library, in the precision of the type whatever the math mode.
#pragma once

#include <cuComplex.h>
#include <cuda_runtime.h>

#define CUBLAS_V2_H_
#define CUBLAS_API_H_

struct cublasContext;
using cublasHandle_t = cublasContext*;

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};

const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version);

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device, int incy);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device, int incx, void* y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda, void* device,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int lda, void* b,
                               int ldb);

#define EXACTDOT_CUBLAS_FUNCTIONS(S, T)                                                                            \
  cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,          \
                                T* result);                                                                        \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result);                   \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result);                   \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,         \
                                 int incy);                                                                        \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx);                    \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy);              \
  cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy);                    \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t transpose, int m, int n, const T* alpha, \
                                 const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy);        \
  cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transpose_a,                             \
                                 cublasOperation_t transpose_b, int m, int n, int k, const T* alpha, const T* a,   \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc);                      \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                                    \
      cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m, int n, int k,    \
      const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb, long long stride_b,            \
      const T* beta, T* c, int ldc, long long stride_c, int count);
EXACTDOT_CUBLAS_FUNCTIONS(S, float)
EXACTDOT_CUBLAS_FUNCTIONS(D, double)
#undef EXACTDOT_CUBLAS_FUNCTIONS
cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx, int* result);
cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx, int* result);
