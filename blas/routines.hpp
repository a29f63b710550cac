// The reductions behind the BLAS names, for float and double; results for n <= 0 are those of the reference BLAS.
#pragma once

#include <blas/vector.hpp>
#include <cstdint>

namespace exactdot::blas {

/// Σ xᵢ·yᵢ, rounded once to R. R double for float elements: dsdot.
template <class R, class T>
R dot(const vector<T>& x, const vector<T>& y);

/// start + Σ xᵢ·yᵢ, rounded once.
float dot_from(float start, const vector<float>& x, const vector<float>& y);

/// Σ xᵢ·yᵢ or, conjugated, Σ conj(xᵢ)·yᵢ; real and imaginary part are each rounded once.
template <class T>
complex<T> complex_dot(const vector<complex<T>>& x, const vector<complex<T>>& y, bool conjugated);

/// Σ |xᵢ|, of complex elements Σ |re| + |im|. 0 for an increment <= 0.
template <class T>
T asum(const vector<T>& x);
template <class T>
T asum(const vector<complex<T>>& x);

/// √(Σ |xᵢ|²)
template <class T>
T nrm2(const vector<T>& x);
template <class T>
T nrm2(const vector<complex<T>>& x);

/// The lowest index, from 1, of the greatest |xᵢ|, of complex elements |re| + |im| in the arithmetic of T, as the
/// reference adds it. A NaN is greater than nothing, but wins as first element. 0 for n <= 0 or an increment <= 0.
template <class T>
std::int64_t index_of_max(const vector<T>& x);
template <class T>
std::int64_t index_of_max(const vector<complex<T>>& x);

}  // namespace exactdot::blas
