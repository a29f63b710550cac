// exactdot::dot: the dot product of two vectors, in host memory or, for programs that link exactdot::cuda, a GPU's.
//
// Exact by default: the real-number sum of products, rounded once. The same bits at any thread count, instruction
// set and order of the elements, and on any GPU. docs/contract.md states the whole promise.
#pragma once

#include <concepts>
#include <cstddef>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <ranges>
#include <span>
#include <type_traits>

namespace exactdot {

/// a·b for `n` elements at `a` and at `b`. Pointers to host memory need no alignment, not even that of T. Vectors
/// in a GPU's memory are read when the work in that GPU's default stream is done; the call waits for the result.
///
/// R: result type; rounded once from the exact sum in mode exact, converted from the accumulation type
/// in mode fast. n = 0 gives +0.
/// Errors: errc::null_pointer, errc::bad_option, errc::no_device, errc::cancelled, errc::device_failure.
/// Cost: that of reading both vectors, once they leave the cache (docs/performance.md).
template <element R, element T>
[[nodiscard]] R dot(const T* a, const T* b, std::size_t n, const options& options = {});

namespace detail {
template <class Range>
using element_of = std::ranges::range_value_t<Range>;
[[noreturn]] void throw_size_mismatch(std::size_t a, std::size_t b);
}  // namespace detail

/// a·b of two contiguous ranges (std::span, std::vector, std::array, …) of the same element type.
///
/// R: result type; by default the element type. Errors: as above, and errc::size_mismatch.
template <class R = void, class A, class B>
requires std::ranges::contiguous_range<const A> && std::ranges::contiguous_range<const B> &&
    std::ranges::sized_range<const A> && std::ranges::sized_range<const B> &&
    std::same_as<detail::element_of<A>, detail::element_of<B>> && element<detail::element_of<A>> &&
    (std::is_void_v<R> || element<R>) [[nodiscard]] auto dot(const A& a, const B& b, const options& options = {}) {
  using T = detail::element_of<A>;
  using result = std::conditional_t<std::is_void_v<R>, T, R>;
  const std::size_t n = std::ranges::size(a);
  if (n != std::ranges::size(b)) detail::throw_size_mismatch(n, std::ranges::size(b));
  return dot<result, T>(std::ranges::data(a), std::ranges::data(b), n, options);
}

extern template float dot<float, float>(const float*, const float*, std::size_t, const options&);
extern template double dot<double, float>(const float*, const float*, std::size_t, const options&);
extern template float dot<float, double>(const double*, const double*, std::size_t, const options&);
extern template double dot<double, double>(const double*, const double*, std::size_t, const options&);

}  // namespace exactdot
