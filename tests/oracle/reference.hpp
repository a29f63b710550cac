// Reference: the expected results of a reduction of views, and the faults of results that differ.
//
// It reads the views element by element and computes both modes before any code under test runs. A fault is a
// sentence; the empty string means that the result is correct. Results are compared as bit patterns.
#pragma once

#include <exactdot/reduction.hpp>
#include <optional>
#include <span>
#include <string>

#include "oracle/integer_sum.hpp"
#include "oracle/number.hpp"

namespace oracle {

class reference {
 public:
  /// Requires views of the same length; `b` counts only for reductions of two inputs. `ddof` of a variance.
  reference(exactdot::reduction what, const exactdot::any_vector& a, const exactdot::any_vector& b,
            std::int64_t ddof = 0);

  /// One more term of a sum.
  void add(const number& x);

  /// Nothing if an integer result type does not hold the result.
  [[nodiscard]] std::optional<exactdot::any_scalar> exact(exactdot::element_type result) const;
  [[nodiscard]] std::optional<exactdot::any_scalar> fast(exactdot::element_type result) const;

  /// Empty if the words hold `times` times the sum: the counts of NaNs and infinities and, if these are 0, every
  /// bit of the limbs. Carries may be pending.
  [[nodiscard]] std::string words_fault(std::span<const std::int64_t> words, int times) const;

  [[nodiscard]] const integer_sum& sum() const { return sum_; }

 private:
  void find_extreme(const exactdot::any_vector& x);
  [[nodiscard]] exactdot::any_scalar ratio(exactdot::element_type result) const;
  [[nodiscard]] exactdot::any_scalar rounded(const mpz_class& value, int exponent,
                                             exactdot::element_type result) const;

  exactdot::reduction what_;
  exactdot::element_type type_;
  std::size_t n_;
  std::int64_t ddof_;
  bool is_integer_;
  integer_sum sum_;         // of the terms, of a ratio those of both vectors
  integer_sum squares_;     // of a variance or, of a ratio, of the first vector
  integer_sum x_, y_, yy_;  // of a ratio
  mpz_class xxy_;           // of a weighted variance, finite terms, in units of 2^cube_exponent
  number fast_;
  std::size_t index_ = 0;  // of an extreme element
  number extreme_;
};

/// Empty if both have the same type and bits, else a sentence with both.
[[nodiscard]] std::string difference(const exactdot::any_scalar& expected, const exactdot::any_scalar& got);

}  // namespace oracle
