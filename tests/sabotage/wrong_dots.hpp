// Dot products with deliberate errors that other test suites have failed to detect.
//
// Each has one error and otherwise returns the oracle's result. A checker that accepts it cannot detect that error.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "oracle/checker.hpp"
#include "oracle/order_v1.hpp"

namespace sabotage {

template <class R, class T>
R correct(const T* a, const T* b, std::size_t n) {
  return oracle::exact_dot(std::span<const T>(a, n), std::span<const T>(b, n)).template as<R>();
}

template <class R, class T>
R correct_fast(const T* a, const T* b, std::size_t n) {
  return oracle::fast_dot<R>(std::span<const T>(a, n), std::span<const T>(b, n));
}

template <class R, class T>
R always_nan(const T*, const T*, std::size_t) {
  return std::numeric_limits<R>::quiet_NaN();
}

template <class R, class T>
R without_remainder(const T* a, const T* b, std::size_t n) {
  return correct<R>(a, b, n / 8 * 8);
}

template <class R, class T>
R without_last_term(const T* a, const T* b, std::size_t n) {
  return correct<R>(a, b, n - 1);
}

template <class R, class T>
R with_extra_term(const T* a, const T* b, std::size_t n) {
  std::vector<T> longer_a(a, a + n), longer_b(b, b + n);
  longer_a.push_back(a[0]), longer_b.push_back(b[0]);
  return correct<R>(longer_a.data(), longer_b.data(), n + 1);
}

template <class R, class T>
R ulp_too_high(const T* a, const T* b, std::size_t n) {
  return std::nextafter(correct<R>(a, b, n), std::numeric_limits<R>::infinity());
}

template <class R, class T>
R ulp_too_low(const T* a, const T* b, std::size_t n) {
  return std::nextafter(correct<R>(a, b, n), -std::numeric_limits<R>::infinity());
}

template <class R, class T>
R negated(const T* a, const T* b, std::size_t n) {
  return -correct<R>(a, b, n);
}

/// Propagates a NaN with its sign and payload.
template <class R, class T>
R first_element(const T* a, const T*, std::size_t) {
  return static_cast<R>(a[0]);
}

/// Rounds to double, then to R.
template <class R, class T>
R rounded_twice(const T* a, const T* b, std::size_t n) {
  return static_cast<R>(correct<double>(a, b, n));
}

template <class R, class T>
R plain_loop(const T* a, const T* b, std::size_t n) {
  R sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<R>(a[i]) * static_cast<R>(b[i]);
  return sum;
}

/// Dot2 of Ogita, Rump and Oishi: as accurate as in twice the precision, but not exact.
template <class R, class T>
R compensated(const T* a, const T* b, std::size_t n) {
  T sum = 0, error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T product = a[i] * b[i];
    const T total = sum + product;
    const T product_in_total = total - sum;
    error += std::fma(a[i], b[i], -product) + ((sum - (total - product_in_total)) + (product - product_in_total));
    sum = total;
  }
  return static_cast<R>(sum + error);
}

template <class R, class T>
R throws_exception(const T*, const T*, std::size_t) {
  throw std::runtime_error("deliberate exception");
}

/// Order v1 of the vectors with exchanged halves.
template <class R, class T>
R halves_exchanged(const T* a, const T* b, std::size_t n) {
  std::vector<T> x(a + n / 2, a + n), y(b + n / 2, b + n);
  x.insert(x.end(), a, a + n / 2), y.insert(y.end(), b, b + n / 2);
  return correct_fast<R>(x.data(), y.data(), n);
}

/// Fused multiply-adds in a single lane.
template <class R, class T>
R sequential(const T* a, const T* b, std::size_t n) {
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = std::fma(a[i], b[i], sum);
  return static_cast<R>(sum);
}

}  // namespace sabotage
