// Dots that are wrong on purpose, each in one way that has passed somebody's tests.
//
// Apart from its one fault each is right: it asks the oracle. So a checker that accepts it is blind to that fault.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "oracle/checker.hpp"
#include "oracle/order_v1.hpp"

namespace sabotage {

template <class R, class T>
R right(const T* a, const T* b, std::size_t n) {
  return oracle::exact_dot(std::span<const T>(a, n), std::span<const T>(b, n)).template as<R>();
}

template <class R, class T>
R right_fast(const T* a, const T* b, std::size_t n) {
  return oracle::fast_dot<R>(std::span<const T>(a, n), std::span<const T>(b, n));
}

template <class R, class T>
R not_a_number(const T*, const T*, std::size_t) {
  return std::numeric_limits<R>::quiet_NaN();
}

template <class R, class T>
R without_tail(const T* a, const T* b, std::size_t n) {
  return right<R>(a, b, n / 8 * 8);
}

template <class R, class T>
R without_last(const T* a, const T* b, std::size_t n) {
  return right<R>(a, b, n - 1);
}

template <class R, class T>
R one_too_many(const T* a, const T* b, std::size_t n) {
  std::vector<T> longer_a(a, a + n), longer_b(b, b + n);
  longer_a.push_back(a[0]), longer_b.push_back(b[0]);
  return right<R>(longer_a.data(), longer_b.data(), n + 1);
}

template <class R, class T>
R one_ulp_up(const T* a, const T* b, std::size_t n) {
  return std::nextafter(right<R>(a, b, n), std::numeric_limits<R>::infinity());
}

template <class R, class T>
R one_ulp_down(const T* a, const T* b, std::size_t n) {
  return std::nextafter(right<R>(a, b, n), -std::numeric_limits<R>::infinity());
}

template <class R, class T>
R other_sign(const T* a, const T* b, std::size_t n) {
  return -right<R>(a, b, n);
}

/// Hands a NaN on as it came, with its sign and payload.
template <class R, class T>
R first_input(const T* a, const T*, std::size_t) {
  return static_cast<R>(a[0]);
}

/// Rounded to double first, then to float.
template <class R, class T>
R rounded_twice(const T* a, const T* b, std::size_t n) {
  return static_cast<R>(right<double>(a, b, n));
}

template <class R, class T>
R plain_loop(const T* a, const T* b, std::size_t n) {
  R sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<R>(a[i]) * static_cast<R>(b[i]);
  return sum;
}

/// Two-fold compensated (Dot2 of Ogita, Rump and Oishi): excellent, and not exact.
template <class R, class T>
R compensated(const T* a, const T* b, std::size_t n) {
  T sum = 0, error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T product = a[i] * b[i];
    const T total = sum + product;
    const T part = total - sum;
    error += std::fma(a[i], b[i], -product) + ((sum - (total - part)) + (product - part));
    sum = total;
  }
  return static_cast<R>(sum + error);
}

template <class R, class T>
R throws(const T*, const T*, std::size_t) {
  throw std::runtime_error("out of order");
}

/// Order v1 of the halves in exchanged places.
template <class R, class T>
R halves_swapped(const T* a, const T* b, std::size_t n) {
  std::vector<T> x(a + n / 2, a + n), y(b + n / 2, b + n);
  x.insert(x.end(), a, a + n / 2), y.insert(y.end(), b, b + n / 2);
  return right_fast<R>(x.data(), y.data(), n);
}

/// Fused multiply-adds, but in one lane.
template <class R, class T>
R sequential(const T* a, const T* b, std::size_t n) {
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = std::fma(a[i], b[i], sum);
  return static_cast<R>(sum);
}

}  // namespace sabotage
