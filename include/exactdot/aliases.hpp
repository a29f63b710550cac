// SPDX-License-Identifier: Apache-2.0
// Other names of functions: norm of nrm2, var of variance, standard_deviation of stddev. `std` is a namespace.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/batches.hpp>

namespace exactdot::inline v0_3 {

/// See nrm2.
template <class R = void, class X>
[[nodiscard]] auto norm(const X& x, const options& options = {}) {
  return nrm2<R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto norm(const T* x, std::size_t n, const options& options = {}) {
  return nrm2<R>(x, n, options);
}
template <reducible_vectors View, result_range Out>
void norm(const View& x, Out&& out, const options& options = {}) {
  nrm2(x, out, options);
}

/// See variance.
template <class R = void, class X>
[[nodiscard]] auto var(const X& x, const options& options = {}) {
  return variance<R>(x, options);
}
template <class R = void, class X>
requires(!std::is_pointer_v<X>) [[nodiscard]] auto var(const X& x, ddof_number ddof, const options& options = {}) {
  return variance<R>(x, ddof, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto var(const P& x, std::size_t n, const options& options = {}) {
  return variance<R>(x, n, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto var(const P& x, std::size_t n, ddof_number ddof, const options& options = {}) {
  return variance<R>(x, n, ddof, options);
}
template <reducible_vectors View, result_range Out>
void var(const View& x, Out&& out, const options& options = {}) {
  variance(x, out, options);
}
template <reducible_vectors View, result_range Out>
void var(const View& x, Out&& out, ddof_number ddof, const options& options = {}) {
  variance(x, out, ddof, options);
}

/// See stddev.
template <class R = void, class X>
[[nodiscard]] auto standard_deviation(const X& x, const options& options = {}) {
  return stddev<R>(x, options);
}
template <class R = void, class X>
requires(!std::is_pointer_v<X>)
    [[nodiscard]] auto standard_deviation(const X& x, ddof_number ddof, const options& options = {}) {
  return stddev<R>(x, ddof, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto standard_deviation(const P& x, std::size_t n, const options& options = {}) {
  return stddev<R>(x, n, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto standard_deviation(const P& x, std::size_t n, ddof_number ddof, const options& options = {}) {
  return stddev<R>(x, n, ddof, options);
}
template <reducible_vectors View, result_range Out>
void standard_deviation(const View& x, Out&& out, const options& options = {}) {
  stddev(x, out, options);
}
template <reducible_vectors View, result_range Out>
void standard_deviation(const View& x, Out&& out, ddof_number ddof, const options& options = {}) {
  stddev(x, out, ddof, options);
}

}  // namespace exactdot::inline v0_3
