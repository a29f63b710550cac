// Eigen's reductions under the names of peers, as a separate shared library.
//
// Built twice, with the compiler's default flags and with -march=native. Eigen consists of inline templates. In one
// program the linker would keep one copy of each, and both peers would time that copy; separately loaded libraries
// keep their own.
#include <Eigen/Core>

namespace {

template <class T>
auto map(int n, const T* x) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(x, n);
}

}  // namespace

extern "C" {
float eigen_sdot(int n, const float* a, int, const float* b, int) { return map(n, a).dot(map(n, b)); }
double eigen_ddot(int n, const double* a, int, const double* b, int) { return map(n, a).dot(map(n, b)); }
float eigen_ssum(int n, const float* x, int, const float*, int) { return map(n, x).sum(); }
double eigen_dsum(int n, const double* x, int, const double*, int) { return map(n, x).sum(); }
float eigen_sasum(int n, const float* x, int, const float*, int) { return map(n, x).lpNorm<1>(); }
double eigen_dasum(int n, const double* x, int, const double*, int) { return map(n, x).lpNorm<1>(); }
float eigen_ssum_of_squares(int n, const float* x, int, const float*, int) { return map(n, x).squaredNorm(); }
double eigen_dsum_of_squares(int n, const double* x, int, const double*, int) { return map(n, x).squaredNorm(); }
float eigen_snrm2(int n, const float* x, int, const float*, int) { return map(n, x).norm(); }
double eigen_dnrm2(int n, const double* x, int, const double*, int) { return map(n, x).norm(); }
}
