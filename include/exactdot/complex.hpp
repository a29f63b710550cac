// SPDX-License-Identifier: Apache-2.0
// Complex numbers: sums, means, norms and dot products of std::complex<float> or std::complex<double>, or of types
// like them, under the names of the real calls, and vdot. Of contiguous ranges, and of rows, columns, segments and groups.
//
//   sum(x), mean(x): complex; the reduction of the real parts and that of the imaginary ones.
//   dot(a, b), vdot(a, b): complex; Σ aᵢbᵢ and Σ conj(aᵢ)bᵢ, BLAS's dotu and dotc. Each part is one sum of 2n
//     products, rounded once, so that what cancels between them cancels exactly: vdot(x, x) has the imaginary part
//     0.
//   nrm2(x), sum_of_squares(x), asum(x): real; √(Σ re² + im²), its square, and BLAS's Σ |re| + |im|.
//
// R, and the elements of results of shapes: by default the type of the elements, of real results that of a part;
// std::complex<…> or a floating-point type. Mode fast adds the parts, or products, in order v1 of a vector of them.
// Special values are those of the real sums: ∞ − ∞ and 0·∞ between the parts are NaN. n = 0 gives +0, of means NaN.
// Calls whose types are known at run time only (any_grid, any_vector, any_results) take complex64 and complex128.
// where and skip_nan (missing.hpp) leave numbers out; a number with a NaN for a part is a NaN.
// Memory: host memory or a GPU's. Errors: those of the real calls. Cost: norms that of 2n reals, sums and means one
// read, products two reads of both vectors; of short vectors some 0.2 microseconds. Products of shapes and in a GPU's
// memory copy b, and a unless its numbers follow each other; norms of segments and groups likewise.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/batches.hpp>
#include <exactdot/reductions.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
/// The bits of a result; of a real one the imaginary part is 0.
struct complex_words {
  std::uint64_t real = 0, imaginary = 0;
};
/// sum, mean, asum, sum_of_squares or nrm2 of a vector of complex64 or complex128. result: of a part.
[[nodiscard]] complex_words reduce_complex(reduction what, const any_vector& x, element_type result,
                                           const options& options, const char* caller = nullptr);
/// Σ aᵢbᵢ, or Σ conj(aᵢ)bᵢ.
[[nodiscard]] complex_words multiply_complex(bool conjugates, const any_vector& a, const any_vector& b,
                                             element_type result, const options& options,
                                             const char* caller = nullptr);
/// Any of these of vectors of which one is complex; b: a for a reduction of one. result: of the whole, complex where
/// it is. Throws for what complex numbers do not have.
[[nodiscard]] complex_words reduce_complex_vectors(reduction what, const any_vector& a, const any_vector& b,
                                                   element_type result, const options& options,
                                                   const char* caller = nullptr);
/// reduce_grid, reduce_segments and reduce_groups of arrays of which one, or the results, are complex.
void reduce_complex_grid(reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                         const options& options, const char* caller);
void reduce_complex_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                             const any_results& out, const options& options, const char* caller);
void reduce_complex_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                           const any_results& out, const options& options, const char* caller);

template <class C>
any_vector to_complex(const C* x, std::size_t n) {
  return {x, n, number_type_of<C>, sizeof(C)};
}

template <class R, class C>
auto complex_of(const complex_words& words) {
  using part = typename C::value_type;
  using result = result_or<R, C>;
  if constexpr (complex_number<result>) {
    using of_result = typename result::value_type;
    return result(from_word<of_result>(words.real), from_word<of_result>(words.imaginary));
  } else {
    return from_word<result_or<R, part>>(words.real);
  }
}

template <reduction what, class R, class C>
auto complex_result(const C* x, std::size_t n, const options& options) {
  if constexpr (!check_complex_result<what, R>()) {
    return refused{};
  } else if constexpr (gives_complex(what)) {
    using result = result_or<R, C>;
    return complex_of<result, C>(
        reduce_complex(what, to_complex(x, n), type_of<typename result::value_type>, options));
  } else {
    using result = result_or<R, typename C::value_type>;
    return complex_of<result, C>(reduce_complex(what, to_complex(x, n), type_of<result>, options));
  }
}

template <class R, class C>
auto complex_product(bool conjugates, const C* a, std::size_t n, const C* b, std::size_t n_of_b,
                     const options& options) {
  if constexpr (!check_complex_result<reduction::dot, R>()) {
    return refused{};
  } else {
    using result = result_or<R, C>;
    return complex_of<result, C>(multiply_complex(conjugates, to_complex(a, n), to_complex(b, n_of_b),
                                                  type_of<typename result::value_type>, options));
  }
}
}  // namespace detail

/// Σ conj(aᵢ)·bᵢ of two contiguous ranges of complex numbers of one type, the first of which where and skip_nan may
/// have wrapped; of real vectors that is dot.
template <class R = void, class A, class B>
[[nodiscard]] auto vdot(const A& a, const B& b, const options& options = {}) {
  if constexpr (detail::is_kept<A>) {
    return detail::kept_result<reduction::dot, R, true>(a, b, options, 0);
  } else if constexpr (detail::complex_view<A> && detail::complex_view<B>) {
    return detail::complex_product<R>(true, std::ranges::data(a), std::ranges::size(a), std::ranges::data(b),
                                      std::ranges::size(b), options);
  } else {
    return dot<R>(a, b, options);
  }
}
template <class R = void, class C>
[[nodiscard]] auto vdot(const C* a, const C* b, std::size_t n, const options& options = {}) {
  if constexpr (detail::complex_number<C>) {
    return detail::complex_product<R>(true, a, n, b, n, options);
  } else {
    return dot<R>(a, b, n, options);
  }
}

/// out[i] = Σ conj(aᵢ)·bᵢ of the i-th vectors, of rows, columns, segments or groups as dot has them.
template <class A, class B, result_range Out>
requires detail::factors_of_many<A, B>
void vdot(const A& a, const B& b, Out&& out, const options& options = {}) {
  detail::multiply_many<true>(a, b, out, options);
}

/// The same of a shape of which some elements are not there (missing.hpp).
template <class A, class B, result_range Out>
requires detail::is_kept_shape<A>
void vdot(const A& a, const B& b, Out&& out, const options& options = {}) {
  detail::check_dot_of_many<A, B, Out>();
  detail::kept_results<true>(reduction::dot, a, b, detail::result_line(out).view(), options, 0);
}

}  // namespace exactdot::inline v0_3
