// A matrix times a vector, y := alpha·A·x + beta·y; see gemv.cpp.
#pragma once

#include <blas/vector.hpp>
#include <cstdint>

namespace exactdot::blas {

/// A as its rows: element j of row i lies at data[i·row_step + j·step].
template <class T>
struct matrix {
  const T* data;
  std::size_t rows, columns;
  std::ptrdiff_t row_step, step;
};

/// Each y[i] is alpha·s + beta·y[i] in the arithmetic of T, where s is the dot product of row i and x, rounded
/// once. So with alpha 1 or −1 and beta 0 each is the exact result. As in the reference, beta 0 reads no y, alpha 0
/// reads no A.
template <class T>
void gemv(T alpha, const matrix<T>& a, const vector<T>& x, T beta, T* y, std::ptrdiff_t incy);
/// The same of complex numbers, whose parts are each rounded once. Conjugated: of conj(A).
template <class T>
void gemv(complex<T> alpha, const matrix<complex<T>>& a, bool conjugated, const vector<complex<T>>& x,
          complex<T> beta, complex<T>* y, std::ptrdiff_t incy);

}  // namespace exactdot::blas
