// SPDX-License-Identifier: Apache-2.0
// exactdot's reductions of vectors, in host memory or, for programs that link exactdot::cuda, in a GPU's.
//
// Exact by default: the real-number value, rounded once. The same bits with any number of threads, instruction set
// and order of the elements, and on any GPU. docs/contract.md states the whole promise.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>
#include <type_traits>

namespace exactdot::inline v0_3 {

namespace detail {
/// a·b of contiguous vectors of one type. Returns the bits of the result.
[[nodiscard]] std::uint64_t dot(element_type elements, element_type result, const void* a, const void* b,
                                std::size_t n, const options& options);
/// A reduction of any views. Returns the bits of the result.
[[nodiscard]] std::uint64_t reduce_to_bits(reduction what, const any_vector& a, const any_vector& b, element_type result,
                                   const options& options, std::int64_t ddof = 0);
/// The same for a reduction of one vector.
[[nodiscard]] std::uint64_t reduce_to_bits(reduction what, const any_vector& x, element_type result,
                                           const options& options, std::int64_t ddof = 0);

/// Throws errc::bad_option for a reduction of two vectors.
void require_one_input(reduction what);

/// R, or the type Default if R is void.
template <class R, class Default>
using result_or = std::conditional_t<std::is_void_v<R>, Default, R>;

template <class R, class Default>
[[nodiscard]] result_or<R, Default> reduce_to(reduction what, const any_vector& x, const options& options,
                                              std::int64_t ddof = 0) {
  using result = result_or<R, Default>;
  return from_word<result>(reduce_to_bits(what, x, type_of<result>, options, ddof));
}

constexpr element_type sum_type_of(element_type a, element_type b) {
  if (is_integer(a)) return is_signed(a) || is_signed(b) ? element_type::int64 : element_type::uint64;
  if (a == b) return a;
  return a == element_type::float64 || b == element_type::float64 ? element_type::float64 : element_type::float32;
}
template <element_type type>
using type_at = std::tuple_element_t<static_cast<std::size_t>(type), element_types>;
}  // namespace detail

/// The type of a sum unless the caller names one: the element type, or one that holds both; of integers int64 or,
/// where all are unsigned, uint64.
template <element A, element B = A>
using sum_type = detail::type_at<detail::sum_type_of(type_of<A>, type_of<B>)>;
/// The type of a mean, a norm or a deviation: the element type, of integers double.
template <element X>
using mean_type = std::conditional_t<is_integer(type_of<X>), double, X>;

/// a·b of n elements at `a` and at `b`.
///
/// Pointers to host memory need no alignment, not even that of T. Vectors in a GPU's memory are read after the work
/// in that GPU's default stream; the call waits for the result. R: result type. Mode exact rounds the exact sum
/// once to R; mode fast converts. Integers are summed exactly in both modes. n = 0 gives +0. Errors:
/// errc::null_pointer, bad_option, no_device, cancelled, device_failure; errc::overflow if an integer R does not
/// hold the result. Cost: that of reading both vectors, once they exceed the caches (docs/performance.md).
template <element R, element T>
[[nodiscard]] R dot(const T* a, const T* b, std::size_t n, const options& options = {}) {
  return detail::from_word<R>(detail::dot(type_of<T>, type_of<R>, a, b, n, options));
}

/// a·b of two views: contiguous ranges or `strided`, of two floating-point types or of two integer types.
///
/// R: result type; by default sum_type. Elements of different types are converted, exactly, to a type that holds
/// both; mode fast then adds in that type. Errors: as above, and errc::size_mismatch.
template <class R = void, vector_view A, vector_view B>
requires(std::is_void_v<R> || element<R>) [[nodiscard]] auto dot(const A& a, const B& b,
                                                                 const options& options = {}) {
  using result = detail::result_or<R, sum_type<element_of_view<A>, element_of_view<B>>>;
  if constexpr (detail::contiguous_view<A> && detail::contiguous_view<B> &&
                std::same_as<element_of_view<A>, element_of_view<B>>) {
    const auto n = static_cast<std::size_t>(std::ranges::size(a));
    if (n == static_cast<std::size_t>(std::ranges::size(b))) {
      return dot<result>(std::ranges::data(a), std::ranges::data(b), n, options);
    }
  }
  return detail::from_word<result>(detail::reduce_to_bits(reduction::dot, to_any(a), to_any(b), type_of<result>, options));
}

/// Σ xᵢ. R: result type; by default sum_type. Special values: a NaN, or +∞ and −∞ together, give the canonical NaN;
/// else an infinity wins. n = 0 gives +0. Errors and cost as of dot, for one vector.
template <class R = void, vector_view X>
[[nodiscard]] auto sum(const X& x, const options& options = {}) {
  return detail::reduce_to<R, sum_type<element_of_view<X>>>(reduction::sum, to_any(x), options);
}

/// Σ |xᵢ|. Otherwise as sum; {+∞, −∞} gives +∞.
template <class R = void, vector_view X>
[[nodiscard]] auto asum(const X& x, const options& options = {}) {
  return detail::reduce_to<R, sum_type<element_of_view<X>>>(reduction::asum, to_any(x), options);
}

/// Σ xᵢ². Otherwise as sum; {+∞, −∞} gives +∞.
template <class R = void, vector_view X>
[[nodiscard]] auto sum_of_squares(const X& x, const options& options = {}) {
  return detail::reduce_to<R, sum_type<element_of_view<X>>>(reduction::sum_of_squares, to_any(x), options);
}

/// √(Σ xᵢ²): the root of the exact sum, rounded once. Neither squares nor sum over- or underflow; the norm itself
/// may exceed R. R: a floating-point type; by default mean_type. Mode fast: the root of the sum of squares of that
/// mode. n = 0 gives +0.
template <class R = void, vector_view X>
[[nodiscard]] auto nrm2(const X& x, const options& options = {}) {
  return detail::reduce_to<R, mean_type<element_of_view<X>>>(reduction::nrm2, to_any(x), options);
}

/// (Σ xᵢ)/n, the exact quotient rounded once. R: a floating-point type; by default mean_type. Mode fast: the sum of
/// that mode over n. n = 0 gives the canonical NaN.
template <class R = void, vector_view X>
[[nodiscard]] auto mean(const X& x, const options& options = {}) {
  return detail::reduce_to<R, mean_type<element_of_view<X>>>(reduction::mean, to_any(x), options);
}

/// (n·Σxᵢ² − (Σxᵢ)²)/(n·(n − ddof)), the exact quotient rounded once.
///
/// R: a floating-point type; by default mean_type. ddof: 0 for the population, 1 for a sample. The canonical NaN for
/// n <= ddof and for data with a NaN or an infinity. Mode fast and ddof < 0 are errc::bad_option. Cost: two sums of
/// each stretch of x that fits the cache.
template <class R = void, vector_view X>
[[nodiscard]] auto variance(const X& x, std::int64_t ddof = 0, const options& options = {}) {
  return detail::reduce_to<R, mean_type<element_of_view<X>>>(reduction::variance, to_any(x), options, ddof);
}

/// The root of the variance, rounded once. Otherwise as variance.
template <class R = void, vector_view X>
[[nodiscard]] auto stddev(const X& x, std::int64_t ddof = 0, const options& options = {}) {
  return detail::reduce_to<R, mean_type<element_of_view<X>>>(reduction::stddev, to_any(x), options, ddof);
}

/// The least element, by IEEE 754-2019's minimum: a NaN wins (the result is the canonical one), and −0 < +0. The
/// same in both modes. Throws errc::empty_input for n = 0.
template <vector_view X>
[[nodiscard]] auto min(const X& x, const options& options = {}) {
  return detail::reduce_to<void, element_of_view<X>>(reduction::min, to_any(x), options);
}

/// The greatest element; otherwise as min.
template <vector_view X>
[[nodiscard]] auto max(const X& x, const options& options = {}) {
  return detail::reduce_to<void, element_of_view<X>>(reduction::max, to_any(x), options);
}

/// The lowest index of the element that min returns; of the first NaN, if there is one.
template <vector_view X>
[[nodiscard]] std::size_t argmin(const X& x, const options& options = {}) {
  return static_cast<std::size_t>(detail::reduce_to_bits(reduction::argmin, to_any(x), element_type::uint64, options));
}

/// The lowest index of the element that max returns.
template <vector_view X>
[[nodiscard]] std::size_t argmax(const X& x, const options& options = {}) {
  return static_cast<std::size_t>(detail::reduce_to_bits(reduction::argmax, to_any(x), element_type::uint64, options));
}

/// a·b of two vectors whose element types, strides and byte orders are known at run time.
[[nodiscard]] inline any_scalar dot(const any_vector& a, const any_vector& b, element_type result,
                                    const options& options = {}) {
  return {result, detail::reduce_to_bits(reduction::dot, a, b, result, options)};
}

/// Any reduction of one vector whose element type, stride and byte order are known at run time. The result type of
/// min and max is the element type, of argmin and argmax int64 or uint64. reduction::dot is errc::bad_option.
[[nodiscard]] inline any_scalar reduce(reduction what, const any_vector& x, element_type result,
                                       const options& options = {}, std::int64_t ddof = 0) {
  detail::require_one_input(what);
  return {result, detail::reduce_to_bits(what, x, result, options, ddof)};
}

/// The result type of a reduction unless the caller names one: see sum_type and mean_type.
[[nodiscard]] constexpr element_type default_result_type(reduction what, element_type a, element_type b) {
  if (gives_index(what)) return element_type::int64;
  if (gives_element(what)) return a;
  return is_integer(a) && !core::info_of(what).is_sum() ? element_type::float64 : detail::sum_type_of(a, b);
}
[[nodiscard]] constexpr element_type default_result_type(reduction what, element_type x) {
  return default_result_type(what, x, x);
}

}  // namespace exactdot::inline v0_3
