// Oracle 1: an exact sum of products in one big integer (GMP), rounded with integer arithmetic.
//
// The unit of the sum is 2^-2148, the last bit of a product of two subnormal doubles, so no addition loses a bit.
// Rounding takes one shift and one comparison with half a unit in the last place. The bit patterns of consecutive
// floating-point numbers are consecutive integers, so a carry needs no special case.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "oracle/number.hpp"

namespace oracle {

/// Numbers of terms that are not finite.
struct special_counts {
  std::int64_t nans = 0, positive_infinities = 0, negative_infinities = 0;
  bool operator==(const special_counts&) const = default;
};

class integer_sum {
 public:
  static constexpr int unit_exponent = format<double>::lowest_product_exponent;

  void add(const number& a, const number& b);  // a·b
  template <class T>
  void add(T a, T b) {
    add(number_of(a), number_of(b));
  }
  template <class T>
  void add(T x) {
    add(x, T{1});
  }
  void merge(const integer_sum& other);

  /// The sum rounded once, to nearest, ties to even; special values as in docs/contract.md.
  template <class R>
  [[nodiscard]] R round() const;

  /// The finite part of the sum, in units of 2^unit_exponent.
  [[nodiscard]] const mpz_class& units() const { return units_; }
  [[nodiscard]] const special_counts& specials() const { return specials_; }

 private:
  void add_finite(const decomposed& a, const decomposed& b);

  mpz_class units_;
  mpz_class term_;  // scratch
  special_counts specials_;
};

/// The value, in units, of limbs of radix 2^32, the first of weight 2^lowest_exponent. Carries may be pending.
[[nodiscard]] mpz_class units_of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent);

/// value · 2^exponent, rounded once to a binary format of so many significant and exponent bits: its encoding.
[[nodiscard]] std::uint64_t round_number(const mpz_class& value, int exponent, int precision, int exponent_bits);

/// units · 2^integer_sum::unit_exponent, rounded once to R.
template <class R>
[[nodiscard]] R round_units(const mpz_class& units);

}  // namespace oracle
