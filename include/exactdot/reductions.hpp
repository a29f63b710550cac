// SPDX-License-Identifier: Apache-2.0
// exactdot's reductions of vectors, in host memory or, for programs that link exactdot::cuda, in a GPU's.
//
// Exact by default: the real-number value, rounded once. The same bits with any number of threads, instruction set
// and order of the elements, and on any GPU. docs/contract.md states the whole promise.
#pragma once

#include <exactdot/requirements.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exactdot/call_checks.hpp>
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
[[nodiscard]] std::uint64_t reduce_to_bits(reduction what, const any_vector& a, const any_vector& b,
                                           element_type result, const options& options, std::int64_t ddof = 0);
/// The same for a reduction of one vector.
[[nodiscard]] std::uint64_t reduce_to_bits(reduction what, const any_vector& x, element_type result,
                                           const options& options, std::int64_t ddof = 0);

/// Throws errc::bad_option for a reduction of two vectors, or of one.
void require_one_input(reduction what);
void require_two_inputs(reduction what);

/// R, or the type Default if R is void.
template <class R, class Default>
using result_or = std::conditional_t<std::is_void_v<R>, Default, R>;

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
using sum_type = std::conditional_t<std::is_same_v<A, B> && floating_element<A>, A,
                                    detail::type_at<detail::sum_type_of(type_of<A>, type_of<B>)>>;
/// The type of a mean, a norm or a deviation: the element type, of integers double.
template <element X>
using mean_type = std::conditional_t<is_integer(type_of<X>), double, X>;

namespace detail {
template <reduction what, element X>
using default_result =
    std::conditional_t<gives_element(what), X, std::conditional_t<gives_sum(what), sum_type<X>, mean_type<X>>>;

/// A reduction of n elements at x, or of a view. R: void for the default type. Both refuse, while they compile,
/// what call_checks.hpp names.
template <reduction what, class R, class T>
[[nodiscard]] auto reduce_elements(const any_vector& x, const options& options, std::int64_t ddof = 0) {
  if constexpr (check_result<what, R, T>()) {
    using result = result_or<R, default_result<what, T>>;
    return from_word<result>(reduce_to_bits(what, x, type_of<result>, options, ddof));
  } else {
    return refused{};
  }
}
/// Of complex.hpp: a reduction of n complex numbers, and a product of two such vectors.
template <reduction what, class R, class C>
[[nodiscard]] auto complex_result(const C* x, std::size_t n, const options& options);
template <class R, class C>
[[nodiscard]] auto complex_product(bool conjugates, const C* a, std::size_t n, const C* b, std::size_t n_of_b,
                                   const options& options);

template <reduction what, class R, class T>
[[nodiscard]] auto reduce_pointer(const T* x, std::size_t n, const options& options, std::int64_t ddof = 0) {
  if constexpr (complex_number<T>) {
    return complex_result<what, R>(x, n, options);
  } else if constexpr (check_element<T>()) {
    return reduce_elements<what, R, T>(to_any(x, n), options, ddof);
  } else {
    return refused{};
  }
}
/// Of missing.hpp: the same of some elements of x, or of x and y. `alone`: there is no y. conjugates: of complex
/// numbers the first factors.
struct alone {};
template <reduction what, class R, bool conjugates = false, class X, class Y>
[[nodiscard]] auto kept_result(const X& x, const Y& y, const options& options, std::int64_t ddof);

template <reduction what, class R, class X>
[[nodiscard]] auto reduce_view(const X& x, const options& options, std::int64_t ddof = 0) {
  if constexpr (is_kept<X>) {
    return kept_result<what, R>(x, alone{}, options, ddof);
  } else if constexpr (complex_view<X>) {
    return complex_result<what, R>(std::ranges::data(x), std::ranges::size(x), options);
  } else if constexpr (check_view<X>()) {
    return reduce_elements<what, R, element_of_view<X>>(to_any(x), options, ddof);
  } else {
    return refused{};
  }
}

template <class R, class A, class B>
[[nodiscard]] auto dot_pointers(const A* a, const B* b, std::size_t n, const options& options) {
  if constexpr (complex_number<A> && std::is_same_v<A, B>) {
    return complex_product<R>(false, a, n, b, n, options);
  } else if constexpr (!(check_element<A>() && check_element<B>())) {
    return refused{};
  } else if constexpr (!(check_factors<A, B>() && check_result<reduction::dot, R, A, B>())) {
    return refused{};
  } else {
    using result = result_or<R, sum_type<A, B>>;
    if constexpr (type_of<A> == type_of<B>) {
      return from_word<result>(dot(type_of<A>, type_of<result>, a, b, n, options));
    } else {
      return from_word<result>(
          reduce_to_bits(reduction::dot, to_any(a, n), to_any(b, n), type_of<result>, options));
    }
  }
}

template <class R, class A, class B>
[[nodiscard]] auto dot_views(const A& a, const B& b, const options& options) {
  using first = element_of_view<A>;
  using second = element_of_view<B>;
  if constexpr (check_factors<first, second>() && check_result<reduction::dot, R, first, second>()) {
    using result = result_or<R, sum_type<first, second>>;
    if constexpr (contiguous_view<A> && contiguous_view<B> && type_of<first> == type_of<second>) {
      const auto n = static_cast<std::size_t>(std::ranges::size(a));
      if (n == static_cast<std::size_t>(std::ranges::size(b))) {
        return from_word<result>(
            dot(type_of<first>, type_of<result>, std::ranges::data(a), std::ranges::data(b), n, options));
      }
    }
    return from_word<result>(reduce_to_bits(reduction::dot, to_any(a), to_any(b), type_of<result>, options));
  } else {
    return refused{};
  }
}
}  // namespace detail

/// a·b of n elements at `a` and at `b`, of one type or of two floating-point or two integer types.
///
/// Pointers to host memory need no alignment, not even that of their type. Vectors in a GPU's memory are read after
/// the work in that GPU's default stream; the call waits for the result. R: result type; by default sum_type. Mode
/// exact rounds the exact sum once to R; mode fast converts. Integers are summed exactly in both modes. n = 0 gives
/// +0. Errors: errc::null_pointer, bad_option, no_device, cancelled, device_failure; errc::overflow if an integer R
/// does not hold the result. Cost: that of reading both vectors, once they exceed the caches (docs/performance.md).
template <class R = void, class A, class B>
[[nodiscard]] auto dot(const A* a, const B* b, std::size_t n, const options& options = {}) {
  return detail::dot_pointers<R>(a, b, n, options);
}

/// a·b of two views: contiguous ranges or `strided`, of two floating-point types or of two integer types.
///
/// R: result type; by default sum_type. Elements of different types are converted, exactly, to a type that holds
/// both; mode fast then adds in that type. Errors: as above, and errc::size_mismatch.
template <class R = void, class A, class B>
[[nodiscard]] auto dot(const A& a, const B& b, const options& options = {}) {
  if constexpr (detail::is_kept<A>) {
    return detail::kept_result<reduction::dot, R>(a, b, options, 0);
  } else if constexpr (detail::complex_view<A> && detail::complex_view<B>) {
    return detail::complex_product<R>(false, std::ranges::data(a), std::ranges::size(a), std::ranges::data(b),
                                      std::ranges::size(b), options);
  } else if constexpr (detail::check_view<A>() && detail::check_view<B>()) {
    return detail::dot_views<R>(a, b, options);
  } else {
    return detail::refused{};
  }
}

// Every reduction below takes a view, or a pointer to contiguous elements and their number.

/// Σ xᵢ. R: result type; by default sum_type. Special values: a NaN, or +∞ and −∞ together, give the canonical NaN;
/// else an infinity wins. n = 0 gives +0. Errors and cost as of dot, for one vector.
template <class R = void, class X>
[[nodiscard]] auto sum(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::sum, R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto sum(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::sum, R>(x, n, options);
}

/// Σ |xᵢ|. Otherwise as sum; {+∞, −∞} gives +∞.
template <class R = void, class X>
[[nodiscard]] auto asum(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::asum, R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto asum(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::asum, R>(x, n, options);
}

/// Σ xᵢ². Otherwise as sum; {+∞, −∞} gives +∞.
template <class R = void, class X>
[[nodiscard]] auto sum_of_squares(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::sum_of_squares, R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto sum_of_squares(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::sum_of_squares, R>(x, n, options);
}

/// √(Σ xᵢ²): the root of the exact sum, rounded once. Neither squares nor sum over- or underflow; the norm itself
/// may exceed R. R: a floating-point type; by default mean_type. Mode fast: the root of the sum of squares of that
/// mode. n = 0 gives +0. Also called norm.
template <class R = void, class X>
[[nodiscard]] auto nrm2(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::nrm2, R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto nrm2(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::nrm2, R>(x, n, options);
}

/// (Σ xᵢ)/n, the exact quotient rounded once. R: a floating-point type; by default mean_type. Mode fast: the sum of
/// that mode over n. n = 0 gives the canonical NaN.
template <class R = void, class X>
[[nodiscard]] auto mean(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::mean, R>(x, options);
}
template <class R = void, class T>
[[nodiscard]] auto mean(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::mean, R>(x, n, options);
}

/// (n·Σxᵢ² − (Σxᵢ)²)/(n·(n − ddof)), the exact quotient rounded once. Also called var.
///
/// R: a floating-point type; by default mean_type. ddof: 0 (the default) for the population, 1 for a sample; before
/// or instead of the options. The canonical NaN for n <= ddof and for data with a NaN or an infinity. Mode fast and
/// ddof < 0 are errc::bad_option. Cost: two sums of each stretch of x that fits the cache.
template <class R = void, class X>
[[nodiscard]] auto variance(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::variance, R>(x, options);
}
template <class R = void, class X>
requires(!std::is_pointer_v<X>)
    [[nodiscard]] auto variance(const X& x, ddof_number ddof, const options& options = {}) {
  static_assert(!std::is_array_v<X>,
                "exactdot: ddof or length? pass std::span(array), or &array[0] and its length");
  return detail::reduce_view<reduction::variance, R>(x, options, ddof);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto variance(const P& x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::variance, R>(x, n, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto variance(const P& x, std::size_t n, ddof_number ddof, const options& options = {}) {
  return detail::reduce_pointer<reduction::variance, R>(x, n, options, ddof);
}

/// The root of the variance, rounded once. Otherwise as variance. Also called standard_deviation.
template <class R = void, class X>
[[nodiscard]] auto stddev(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::stddev, R>(x, options);
}
template <class R = void, class X>
requires(!std::is_pointer_v<X>)
    [[nodiscard]] auto stddev(const X& x, ddof_number ddof, const options& options = {}) {
  static_assert(!std::is_array_v<X>,
                "exactdot: ddof or length? pass std::span(array), or &array[0] and its length");
  return detail::reduce_view<reduction::stddev, R>(x, options, ddof);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto stddev(const P& x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::stddev, R>(x, n, options);
}
template <class R = void, class P>
requires std::is_pointer_v<P>
[[nodiscard]] auto stddev(const P& x, std::size_t n, ddof_number ddof, const options& options = {}) {
  return detail::reduce_pointer<reduction::stddev, R>(x, n, options, ddof);
}

/// The least element, by IEEE 754-2019's minimum: a NaN wins (the result is the canonical one), and −0 < +0. The
/// same in both modes. Throws errc::empty_input for n = 0.
template <class X>
[[nodiscard]] auto min(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::min, void>(x, options);
}
template <class T>
[[nodiscard]] auto min(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::min, void>(x, n, options);
}

/// The greatest element; otherwise as min.
template <class X>
[[nodiscard]] auto max(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::max, void>(x, options);
}
template <class T>
[[nodiscard]] auto max(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::max, void>(x, n, options);
}

/// The lowest index of the element that min returns; of the first NaN, if there is one.
template <class X>
[[nodiscard]] std::size_t argmin(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::argmin, std::uint64_t>(x, options);
}
template <class T>
[[nodiscard]] std::size_t argmin(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::argmin, std::uint64_t>(x, n, options);
}

/// The lowest index of the element that max returns.
template <class X>
[[nodiscard]] std::size_t argmax(const X& x, const options& options = {}) {
  return detail::reduce_view<reduction::argmax, std::uint64_t>(x, options);
}
template <class T>
[[nodiscard]] std::size_t argmax(const T* x, std::size_t n, const options& options = {}) {
  return detail::reduce_pointer<reduction::argmax, std::uint64_t>(x, n, options);
}

/// a·b of two vectors whose element types, strides and byte orders are known at run time.
[[nodiscard]] inline any_scalar dot(const any_vector& a, const any_vector& b, element_type result,
                                    const options& options = {}) {
  return {result, detail::reduce_to_bits(reduction::dot, a, b, result, options)};
}

/// The same for any reduction of two vectors: errc::bad_option for one of one vector.
[[nodiscard]] inline any_scalar reduce(reduction what, const any_vector& a, const any_vector& b, element_type result,
                                       const options& options = {}, ddof_number ddof = 0) {
  detail::require_two_inputs(what);
  return {result, detail::reduce_to_bits(what, a, b, result, options, ddof)};
}

/// Any reduction of one vector whose element type, stride and byte order are known at run time. The result type of
/// min and max is the element type, of argmin and argmax int64 or uint64. reduction::dot is errc::bad_option.
[[nodiscard]] inline any_scalar reduce(reduction what, const any_vector& x, element_type result,
                                       const options& options = {}, ddof_number ddof = 0) {
  detail::require_one_input(what);
  return {result, detail::reduce_to_bits(what, x, result, options, ddof)};
}

namespace detail {
constexpr element_type real_result_type(reduction what, element_type a, element_type b) {
  if (is_integer(a) != is_integer(b)) return is_integer(a) ? b : a;  // of a ratio
  return is_integer(a) && !gives_sum(what) ? element_type::float64 : sum_type_of(a, b);
}
}  // namespace detail

/// The result type of a reduction unless the caller names one: see sum_type and mean_type. Of complex numbers it holds
/// the result of their parts.
[[nodiscard]] constexpr element_type default_result_type(reduction what, element_type a, element_type b) {
  if (gives_index(what)) return element_type::int64;
  if (gives_element(what)) return a;
  const element_type real = detail::real_result_type(what, part_of(a), part_of(b));
  const bool is_of_complex = is_complex(a) || is_complex(b);
  return is_of_complex && detail::gives_complex(what) ? complex_type_of(real) : real;
}
[[nodiscard]] constexpr element_type default_result_type(reduction what, element_type x) {
  return default_result_type(what, x, x);
}

}  // namespace exactdot::inline v0_3
