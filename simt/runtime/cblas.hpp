// The host's BLAS with C's interface, found when a program first needs it: nothing is linked.
#pragma once

#include <cstddef>
#include <string>

namespace exactdot::simt {

/// Layouts and transpositions of cblas.h.
enum cblas_order { cblas_column_major = 102 };
enum cblas_transpose { cblas_as_it_is = 111, cblas_transposed = 112 };

template <class T>
struct cblas_functions {
  T (*dot)(int n, const T* x, int incx, const T* y, int incy);
  void (*axpy)(int n, T alpha, const T* x, int incx, T* y, int incy);
  void (*scal)(int n, T alpha, T* x, int incx);
  T (*nrm2)(int n, const T* x, int incx);
  T (*asum)(int n, const T* x, int incx);
  std::size_t (*iamax)(int n, const T* x, int incx);  // from 0
  void (*gemv)(cblas_order, cblas_transpose, int m, int n, T alpha, const T* a, int lda, const T* x, int incx,
               T beta, T* y, int incy);
  void (*gemm)(cblas_order, cblas_transpose, cblas_transpose, int m, int n, int k, T alpha, const T* a, int lda,
               const T* b, int ldb, T beta, T* c, int ldc);
};

/// Loads the library: the file that SIMTCC_CBLAS names, else the first of the usual names that has the functions.
/// Returns "", or the sentence that says what to install.
const std::string& load_cblas();

/// Of float or double, after load_cblas().
template <class T>
const cblas_functions<T>& cblas();

}  // namespace exactdot::simt
