// Eigen's dot behind the names of a BLAS, as a shared library of its own.
//
// Built twice, with the compiler's default flags and with -march=native. Eigen is all inline templates: in
// one program the linker would keep one copy of each and time that for both; two libraries loaded apart do not
// mix.
#include <Eigen/Core>

namespace {

template <class T>
T dot(int n, const T* a, const T* b) {
  using vector = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>;
  return vector(a, n).dot(vector(b, n));
}

}  // namespace

extern "C" {
float cblas_sdot(int n, const float* a, int, const float* b, int) { return dot(n, a, b); }
double cblas_ddot(int n, const double* a, int, const double* b, int) { return dot(n, a, b); }
}
