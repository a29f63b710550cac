// Oracle 2: an exact sum of products in MPFR, with a precision at which no operation rounds; MPFR rounds the
// result.
//
// Products of doubles have bits from 2^-2148 to 2^2048; 4608 bits suffice for 2^400 of them. Every MPFR operation
// reports whether it rounded. If one did, the oracle throws: exactness is checked, not assumed.
#pragma once

#include <mpfr.h>

namespace oracle {

class wide_sum {
 public:
  wide_sum();
  ~wide_sum();
  wide_sum(const wide_sum&) = delete;
  wide_sum& operator=(const wide_sum&) = delete;

  template <class T>
  void add(T a, T b);  // a·b
  template <class T>
  void add(T x);
  void merge(const wide_sum& other);

  /// The sum rounded once, to nearest, ties to even; special values as in docs/contract.md.
  template <class R>
  [[nodiscard]] R round() const;

 private:
  static constexpr mpfr_prec_t precision = 4608;
  static constexpr mpfr_prec_t product_precision = 106;

  mpfr_t sum_;
  mpfr_t factor_;   // scratch
  mpfr_t product_;  // scratch
  long long nans_ = 0;
  long long positive_infinities_ = 0;
  long long negative_infinities_ = 0;
};

}  // namespace oracle
