// Dot products in standard C++: a sequential loop, and std::transform_reduce with the unsequenced policy.
//
// Built with -O3 -march=native as a separate shared library, so that these flags do not affect other code.
#include <execution>
#include <functional>
#include <numeric>

namespace {

template <class T>
T loop(int n, const T* a, const T* b) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
T transform_reduce(int n, const T* a, const T* b) {
  return std::transform_reduce(std::execution::unseq, a, a + n, b, T{0}, std::plus<>{}, std::multiplies<>{});
}

}  // namespace

extern "C" {
float loop_sdot(int n, const float* a, int, const float* b, int) { return loop(n, a, b); }
double loop_ddot(int n, const double* a, int, const double* b, int) { return loop(n, a, b); }
float transform_reduce_sdot(int n, const float* a, int, const float* b, int) { return transform_reduce(n, a, b); }
double transform_reduce_ddot(int n, const double* a, int, const double* b, int) {
  return transform_reduce(n, a, b);
}
}
