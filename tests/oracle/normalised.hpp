// Oracle of normalised rows: (x − m)·w/√(v + ε) + b in MPFR, rounded once to any format.
//
// Sums and differences do not round, which is checked; root, quotient and sum are rounded to so many bits that the
// result is right: a number half way between two results, or a result, is equal to y, and then nothing rounds, or
// differs from it by more than 2^-7000 of it (of formats shorter than double 2^-3500), as their squares do in
// integers.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <span>

namespace oracle {

/// The precision and the width of the exponent of a format.
struct result_format {
  int precision, exponent_bits;
};

class normalised_row {
 public:
  /// Elements as doubles, which hold all types.
  normalised_row(std::span<const double> x, bool is_centred, double epsilon, result_format format);
  ~normalised_row();
  normalised_row(const normalised_row&) = delete;
  normalised_row& operator=(const normalised_row&) = delete;

  /// The bits of an element of the row.
  [[nodiscard]] std::uint64_t element(double x, double w, double b) const;

 private:
  [[nodiscard]] std::uint64_t special(double x, double w, double b) const;
  [[nodiscard]] std::uint64_t infinity(bool negative) const;
  [[nodiscard]] std::uint64_t rounded(mpfr_ptr x) const;

  result_format format_;
  double n_;
  bool has_nan_ = false, has_infinity_ = false, is_centred_;
  mpfr_t sum_, denominator_;      // Σx or 0, n·Σx² − (Σx)² + n²·ε
  mutable mpfr_t value_, other_;  // scratch
};

}  // namespace oracle
