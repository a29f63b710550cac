// Oracle 2: an exact sum of products in MPFR, wide enough that no operation rounds, rounded by MPFR.
//
// Products of doubles span bits 2^-2148 … 2^2048; 4608 bits leave room for 2^400 of them. Every MPFR
// operation reports whether it rounded, and a sum that did throws: exactness is checked, not assumed.
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

  /// The sum rounded once, to nearest, ties to even; special values as docs/contract.md says.
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
