// Vectors with a prescribed exact dot.
//
// Random terms are drawn first. The difference between their sum and the target is then split into terms of at most
// `precision` bits, each the product of a short mantissa and a power of two. Finally the terms are shuffled.
#pragma once

#include <gmpxx.h>

#include "oracle/generators.hpp"

namespace oracle {

/// mantissa · 2^exponent in the units of integer_sum.
[[nodiscard]] mpz_class units(const mpz_class& mantissa, int exponent);

/// Appends terms whose sum is `sum`, in the units of integer_sum, to v, from the most significant bit down.
template <class T>
void push_terms(rng& random, vectors<T>& v, mpz_class sum);

/// At least n terms whose exact dot is `target`, in the units of integer_sum. The value of `target` must be less
/// than 2^(2·highest_exponent - 2) in magnitude and a multiple of 2^lowest_product_exponent.
template <class T>
[[nodiscard]] vectors<T> terms_with_sum(const mpz_class& target, rng& random, std::size_t n);

}  // namespace oracle
