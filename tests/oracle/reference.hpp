// Reference: the expected results of a reduction of views, and the faults of results that differ.
//
// It reads the views element by element and computes both modes before any code under test runs. A fault is a
// sentence; the empty string means that the result is correct. Results are compared as bit patterns.
#pragma once

#include <exactdot/reduction.hpp>
#include <span>
#include <string>

#include "oracle/integer_sum.hpp"
#include "oracle/number.hpp"

namespace oracle {

class reference {
 public:
  /// Requires views of the same element type and length.
  reference(exactdot::reduction what, const exactdot::any_vector& a, const exactdot::any_vector& b);

  [[nodiscard]] exactdot::any_scalar exact(exactdot::element_type result) const;
  [[nodiscard]] exactdot::any_scalar fast(exactdot::element_type result) const;

  /// Empty if the words hold `times` times the sum: the counts of NaNs and infinities and, if these are 0, every bit
  /// of the limbs. Carries may be pending.
  [[nodiscard]] std::string words_fault(std::span<const std::int64_t> words, int times) const;

  [[nodiscard]] const integer_sum& sum() const { return sum_; }

 private:
  exactdot::element_type type_;
  integer_sum sum_;
  number fast_;
};

/// Empty if both have the same type and bits, else a sentence with both.
[[nodiscard]] std::string difference(const exactdot::any_scalar& expected, const exactdot::any_scalar& got);

}  // namespace oracle
