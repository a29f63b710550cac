// A matrix times a vector; see gemv.hpp.
//
// Real rows are one call on a grid, which reads the matrix in the order of its memory; the dots go to a buffer,
// because y may be scaled. Without memory for it, and of complex numbers, rows are a dot each. Both set the status
// flags of their dots.
#include <blas/gemv.hpp>
#include <blas/routines.hpp>
#include <blas/settings.hpp>
#include <blas/status_flags.hpp>
#include <exactdot/batches.hpp>
#include <new>
#include <vector>

namespace exactdot::blas {
namespace {

template <class T>
T product(T a, T b) {
  return a * b;
}
template <class T>
complex<T> product(complex<T> a, complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
complex<T> operator-(complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
T sum(T a, T b) {
  return a + b;
}
template <class T>
complex<T> sum(complex<T> a, complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
bool equals(T a, int number) {
  return a == static_cast<T>(number);
}
template <class T>
bool equals(complex<T> a, int number) {
  return a.re == static_cast<T>(number) && a.im == 0;
}

/// alpha·dot; ±dot is exact, also where the caller's arithmetic flushes subnormal numbers.
template <class T>
T scaled(T alpha, T dot) {
  if (equals(alpha, 1)) return dot;
  return equals(alpha, -1) ? -dot : product(alpha, dot);
}

/// y := alpha·dot + beta·y; without a dot beta·y.
template <class T>
void store(const T* dot, T alpha, T beta, T& y) {
  const T result = dot == nullptr ? T{} : scaled(alpha, *dot);
  if (equals(beta, 0)) {
    y = result;
  } else {
    const T before = equals(beta, 1) ? y : product(beta, y);
    y = dot == nullptr ? before : sum(result, before);
  }
}

/// Each y of dot_of(its row).
template <class T, class Dot>
void store_rows(const Dot& dot_of, T alpha, T beta, std::size_t rows, T* y, std::ptrdiff_t incy) {
  if (incy < 0) y -= static_cast<std::ptrdiff_t>(rows - 1) * incy;
  for (std::size_t i = 0; i < rows; ++i, y += incy) {
    if (equals(alpha, 0)) {
      store<T>(nullptr, alpha, beta, *y);
    } else {
      const T dot = dot_of(i);
      store(&dot, alpha, beta, *y);
    }
  }
}

/// Whether the reference leaves y as it is.
template <class T>
bool changes_nothing(T alpha, const matrix<T>& a, T beta) {
  return a.rows == 0 || a.columns == 0 || (equals(alpha, 0) && equals(beta, 1));
}

template <class T>
vector<T> row_of(const matrix<T>& a, std::size_t i) {
  return {static_cast<std::int64_t>(a.columns), a.data + static_cast<std::ptrdiff_t>(i) * a.row_step, a.step};
}

template <class T>
void dots_of_rows(const matrix<T>& a, const vector<T>& x, std::vector<T>& out) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  const axis rows_of_a{a.rows, a.row_step * size}, columns_of_a{a.columns, a.step * size};
  const axis repeated{a.rows, 0}, elements_of_x{x.n, x.stride * size}, results{a.rows, size};
  const int before = std::fetestexcept(status_flags);
  exactdot::dot(any_grid{a.data, type_of<T>, {&rows_of_a, 1}, {&columns_of_a, 1}},
                any_grid{x.first, type_of<T>, {&repeated, 1}, {&elements_of_x, 1}},
                any_results{out.data(), type_of<T>, {&results, 1}}, chosen.options);
  std::feclearexcept(status_flags & ~before);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!std::isfinite(out[i])) set_flags(std::fetestexcept(status_flags), out[i], row_of(a, i), x);
  }
}

}  // namespace

template <class T>
void gemv(T alpha, const matrix<T>& a, const vector<T>& x, T beta, T* y, std::ptrdiff_t incy) {
  if (changes_nothing(alpha, a, beta)) return;
  const auto dot_of_row = [&](std::size_t i) {
    return with_flags_of_result([](const auto& row, const auto& elements) { return dot<T>(row, elements); },
                                row_of(a, i), x);
  };
  std::vector<T> dots;
  try {
    if (!equals(alpha, 0)) dots.resize(a.rows), dots_of_rows(a, x, dots);
  } catch (const std::bad_alloc&) {
    return store_rows(dot_of_row, alpha, beta, a.rows, y, incy);
  }
  store_rows([&](std::size_t i) { return dots[i]; }, alpha, beta, a.rows, y, incy);
}
template void gemv(float alpha, const matrix<float>& a, const vector<float>& x, float beta, float* y,
                   std::ptrdiff_t incy);
template void gemv(double alpha, const matrix<double>& a, const vector<double>& x, double beta, double* y,
                   std::ptrdiff_t incy);

template <class T>
void gemv(complex<T> alpha, const matrix<complex<T>>& a, bool conjugated, const vector<complex<T>>& x,
          complex<T> beta, complex<T>* y, std::ptrdiff_t incy) {
  if (changes_nothing(alpha, a, beta)) return;
  const auto dot_of_row = [&](std::size_t i) {
    const auto compute = [conjugated](const auto& row, const auto& elements) {
      return complex_dot(row, elements, conjugated);
    };
    return with_flags_of_result(compute, row_of(a, i), x);
  };
  store_rows(dot_of_row, alpha, beta, a.rows, y, incy);
}
template void gemv(complex<float> alpha, const matrix<complex<float>>& a, bool conjugated,
                   const vector<complex<float>>& x, complex<float> beta, complex<float>* y, std::ptrdiff_t incy);
template void gemv(complex<double> alpha, const matrix<complex<double>>& a, bool conjugated,
                   const vector<complex<double>>& x, complex<double> beta, complex<double>* y, std::ptrdiff_t incy);

}  // namespace exactdot::blas
