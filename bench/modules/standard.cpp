// Reductions in standard C++: sequential loops, and std::reduce and std::transform_reduce with the unsequenced
// policy.
//
// Built with -O3 -march=native as a separate shared library, so that these flags do not affect other code. An index
// is returned in the low bytes of T.
#include <cmath>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>

namespace {

template <class T>
T dot(int n, const T* a, const T* b) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Adds transform(x[i]).
template <class T, class Transform>
T sum(int n, const T* x, Transform transform) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += transform(x[i]);
  return sum;
}

/// Returns the index of the first element that precedes all others.
template <class T, class Precedes>
int first(int n, const T* x, Precedes precedes) {
  int best = 0;
  for (int i = 1; i < n; ++i) best = precedes(x[i], x[best]) ? i : best;
  return best;
}

template <class T, class Precedes>
T extremum(int n, const T* x, Precedes precedes) {
  T best = x[0];
  for (int i = 1; i < n; ++i) best = precedes(x[i], best) ? x[i] : best;
  return best;
}

template <class T>
T in_low_bytes(int index) {
  T value = 0;
  std::memcpy(&value, &index, sizeof index);
  return value;
}

template <class T>
T unsequenced_dot(int n, const T* a, const T* b) {
  return std::transform_reduce(std::execution::unseq, a, a + n, b, T{0}, std::plus<>{}, std::multiplies<>{});
}

template <class T, class Transform>
T unsequenced_sum(int n, const T* x, Transform transform) {
  return std::transform_reduce(std::execution::unseq, x, x + n, T{0}, std::plus<>{}, transform);
}

constexpr auto magnitude = [](auto x) { return std::abs(x); };
constexpr auto square = [](auto x) { return x * x; };
constexpr std::less<> less;
constexpr std::greater<> greater;

}  // namespace

extern "C" {
float loop_sdot(int n, const float* a, int, const float* b, int) { return dot(n, a, b); }
double loop_ddot(int n, const double* a, int, const double* b, int) { return dot(n, a, b); }
float loop_ssum(int n, const float* x, int, const float*, int) { return sum(n, x, std::identity{}); }
double loop_dsum(int n, const double* x, int, const double*, int) { return sum(n, x, std::identity{}); }
float loop_sasum(int n, const float* x, int, const float*, int) { return sum(n, x, magnitude); }
double loop_dasum(int n, const double* x, int, const double*, int) { return sum(n, x, magnitude); }
float loop_ssum_of_squares(int n, const float* x, int, const float*, int) { return sum(n, x, square); }
double loop_dsum_of_squares(int n, const double* x, int, const double*, int) { return sum(n, x, square); }
float loop_smean(int n, const float* x, int, const float*, int) {
  return sum(n, x, std::identity{}) / static_cast<float>(n);
}
double loop_dmean(int n, const double* x, int, const double*, int) { return sum(n, x, std::identity{}) / n; }
float loop_smin(int n, const float* x, int, const float*, int) { return extremum(n, x, less); }
double loop_dmin(int n, const double* x, int, const double*, int) { return extremum(n, x, less); }
float loop_smax(int n, const float* x, int, const float*, int) { return extremum(n, x, greater); }
double loop_dmax(int n, const double* x, int, const double*, int) { return extremum(n, x, greater); }
float loop_sargmin(int n, const float* x, int, const float*, int) { return in_low_bytes<float>(first(n, x, less)); }
double loop_dargmin(int n, const double* x, int, const double*, int) {
  return in_low_bytes<double>(first(n, x, less));
}
float loop_sargmax(int n, const float* x, int, const float*, int) {
  return in_low_bytes<float>(first(n, x, greater));
}
double loop_dargmax(int n, const double* x, int, const double*, int) {
  return in_low_bytes<double>(first(n, x, greater));
}
float transform_reduce_sdot(int n, const float* a, int, const float* b, int) { return unsequenced_dot(n, a, b); }
double transform_reduce_ddot(int n, const double* a, int, const double* b, int) { return unsequenced_dot(n, a, b); }
float transform_reduce_ssum(int n, const float* x, int, const float*, int) {
  return std::reduce(std::execution::unseq, x, x + n, 0.0F);
}
double transform_reduce_dsum(int n, const double* x, int, const double*, int) {
  return std::reduce(std::execution::unseq, x, x + n, 0.0);
}
float transform_reduce_sasum(int n, const float* x, int, const float*, int) {
  return unsequenced_sum(n, x, magnitude);
}
double transform_reduce_dasum(int n, const double* x, int, const double*, int) {
  return unsequenced_sum(n, x, magnitude);
}
float transform_reduce_ssum_of_squares(int n, const float* x, int, const float*, int) {
  return unsequenced_sum(n, x, square);
}
double transform_reduce_dsum_of_squares(int n, const double* x, int, const double*, int) {
  return unsequenced_sum(n, x, square);
}
}
