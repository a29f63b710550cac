// The floating-point status flags after a call are those of its result, whatever the kernels did on the way.
//
// A finite result raises none. A NaN without a NaN among the elements raises invalid, an infinity without an
// infinite element overflow. NumPy tests the flags after each call and warns. Cost: two readings of the flags; of a
// result that is not finite also a pass over the vectors.
#pragma once

#include <blas/vector.hpp>
#include <cfenv>
#include <cmath>
#include <concepts>

namespace exactdot::blas {

template <std::floating_point T>
bool is_nan(T x) {
  return std::isnan(x);
}
template <std::floating_point T>
bool is_infinite(T x) {
  return std::isinf(x);
}
bool is_nan(std::integral auto) { return false; }
bool is_infinite(std::integral auto) { return false; }
template <class T>
bool is_nan(const complex<T>& x) {
  return is_nan(x.re) || is_nan(x.im);
}
template <class T>
bool is_infinite(const complex<T>& x) {
  return is_infinite(x.re) || is_infinite(x.im);
}

template <class T>
bool has_nan(const vector<T>& x) {
  for (std::size_t i = 0; i < x.n; ++i) {
    if (is_nan(x[i])) return true;
  }
  return false;
}
template <class T>
bool has_infinity(const vector<T>& x) {
  for (std::size_t i = 0; i < x.n; ++i) {
    if (is_infinite(x[i])) return true;
  }
  return false;
}

inline constexpr int status_flags = FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID | FE_DIVBYZERO;

/// Sets the flags of this result of these vectors, where `before` are those before the call.
template <class Result, class... Vector>
[[gnu::noinline]] void set_flags(int before, const Result& result, const Vector&... x) {
  std::feclearexcept(status_flags & ~before);
  if (is_nan(result) && !(has_nan(x) || ...)) std::feraiseexcept(FE_INVALID);
  if (is_infinite(result) && !(has_infinity(x) || ...)) std::feraiseexcept(FE_OVERFLOW);
}

/// Returns compute(x…), with the flags of this result.
template <class Compute, class... Vector>
auto with_flags_of_result(const Compute& compute, const Vector&... x) {
  const int before = std::fetestexcept(status_flags);
  const auto result = compute(x...);
  if (std::fetestexcept(status_flags) != before || is_nan(result) || is_infinite(result)) [[unlikely]] {
    set_flags(before, result, x...);
  }
  return result;
}

}  // namespace exactdot::blas
