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

namespace exactdot {

namespace detail {
/// a·b of contiguous vectors of one type. Returns the bits of the result.
[[nodiscard]] std::uint64_t dot(element_type elements, element_type result, const void* a, const void* b,
                                std::size_t n, const options& options);
/// The reduction of any views. Returns the bits of the result.
[[nodiscard]] std::uint64_t reduce(reduction what, const any_vector& a, const any_vector& b, element_type result,
                                   const options& options);
}  // namespace detail

/// a·b of n elements at `a` and at `b`.
///
/// Pointers to host memory need no alignment, not even that of T. Vectors in a GPU's memory are read after the work
/// in that GPU's default stream; the call waits for the result. R: result type. Mode exact rounds the exact sum
/// once to R; mode fast converts. n = 0 gives +0. Errors: errc::null_pointer, bad_option, no_device, cancelled,
/// device_failure. Cost: that of reading both vectors, once they exceed the caches (docs/performance.md).
template <element R, element T>
[[nodiscard]] R dot(const T* a, const T* b, std::size_t n, const options& options = {}) {
  return detail::from_word<R>(detail::dot(type_of<T>, type_of<R>, a, b, n, options));
}

/// a·b of two views of the same element type: contiguous ranges or `strided`.
///
/// R: result type; by default the element type. Errors: as above, and errc::size_mismatch.
template <class R = void, vector_view A, vector_view B>
requires std::same_as<element_of_view<A>, element_of_view<B>> &&(std::is_void_v<R> || element<R>)
    [[nodiscard]] auto dot(const A& a, const B& b, const options& options = {}) {
  using result = std::conditional_t<std::is_void_v<R>, element_of_view<A>, R>;
  if constexpr (detail::contiguous_view<A> && detail::contiguous_view<B>) {
    const auto n = static_cast<std::size_t>(std::ranges::size(a));
    if (n == static_cast<std::size_t>(std::ranges::size(b))) {
      return dot<result>(std::ranges::data(a), std::ranges::data(b), n, options);
    }
  }
  return detail::from_word<result>(detail::reduce(reduction::dot, to_any(a), to_any(b), type_of<result>, options));
}

/// a·b of two vectors whose element type, stride and byte order are known at run time.
///
/// Errors: as above, and errc::bad_option for element types that differ.
[[nodiscard]] inline any_scalar dot(const any_vector& a, const any_vector& b, element_type result,
                                    const options& options = {}) {
  return {result, detail::reduce(reduction::dot, a, b, result, options)};
}

}  // namespace exactdot
