// Eigen's dot product under BLAS names, as a separate shared library.
//
// Built twice, with the compiler's default flags and with -march=native. Eigen consists of inline templates. In one
// program the linker would keep one copy of each, and both peers would time that copy; separately loaded libraries
// keep their own.
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
