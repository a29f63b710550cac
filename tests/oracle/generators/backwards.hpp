// Vectors built backwards: terms whose exact dot is a number chosen beforehand.
//
// Random terms come first; what they leave to the target is then cut into pieces of at most `precision`
// bits, each the product of a short mantissa and a power of two. The order is random at the end.
#pragma once

#include <gmpxx.h>

#include "oracle/generators.hpp"

namespace oracle {

/// mantissa · 2^exponent in the units of integer_sum.
[[nodiscard]] mpz_class units(const mpz_class& mantissa, int exponent);

/// Adds terms to v that add up to `sum`, in the units of integer_sum, from its first bit to its last.
template <class T>
void push_terms(rng& random, vectors<T>& v, mpz_class sum);

/// At least n terms whose exact dot is `target`, in the units of integer_sum. Requires |target| < 2^(2·top - 2) as
/// a value, and a multiple of 2^lowest_product.
template <class T>
[[nodiscard]] vectors<T> terms_for(const mpz_class& target, rng& random, std::size_t n);

}  // namespace oracle
