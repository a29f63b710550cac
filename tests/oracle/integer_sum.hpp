// Oracle 1: an exact sum of products as one big integer (GMP), rounded by our own integer rounding.
//
// The sum is held in units of 2^-2148, the last bit of a product of two subnormal doubles, so nothing is
// ever lost and no range has to be thought about. Rounding is one shift, one comparison with half, and
// the observation that the patterns of consecutive floating-point numbers are consecutive integers.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "oracle/bits.hpp"

namespace oracle {

class integer_sum {
 public:
  static constexpr int unit_exponent = format<double>::lowest_product;

  template <class T>
  void add(T a, T b);  // a·b
  template <class T>
  void add(T x);
  void merge(const integer_sum& other);

  /// The sum rounded once, to nearest, ties to even; special values as docs/contract.md says.
  template <class R>
  [[nodiscard]] R round() const;

  /// The finite part of the sum, in units of 2^unit_exponent.
  [[nodiscard]] const mpz_class& units() const { return units_; }

 private:
  void add_finite(const parts& a, const parts& b);

  mpz_class units_;
  mpz_class term_;  // scratch
  bool nan_ = false;
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;
};

/// The units that limbs of radix 2^32 stand for, the first of weight 2^lowest_exponent, carries not propagated.
[[nodiscard]] mpz_class units_of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent);

/// units · 2^integer_sum::unit_exponent, rounded once to R.
template <class R>
[[nodiscard]] R round_units(const mpz_class& units);

}  // namespace oracle
