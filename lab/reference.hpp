// Reference result of a reduction, and the error that a rung's promise allows.
//
// sum: the exact dot product, from exactdot's accumulator; the bound is the proved bound of the rung's technique,
// computed from the data. min, max, absmax: the one correct value. product: computed in long double with a separate
// integer exponent, which cannot overflow.
#pragma once

#include <exactdot/accumulator.hpp>
#include <lab/registry.hpp>
#include <span>

namespace exactdot::lab {

template <element T>
class reference {
 public:
  /// `step`: of the fixed-point format of all data of which a and b are a part; for error_rule::fixed_point.
  reference(std::span<const T> a, std::span<const T> b, operation op, long double step = 0);

  [[nodiscard]] T value() const { return value_; }  ///< rounded once
  /// Returns |x - exact| / ulp(value()), for a product to about four digits. Returns 0 if x is the expected
  /// infinity or NaN. The error of a product that underflows may be far below any double.
  [[nodiscard]] long double error_ulps(T x) const;
  /// Returns the error that the rung's promise allows; infinite if nothing is promised, as when a partial result
  /// may overflow.
  [[nodiscard]] long double allowed_ulps(const rung_info& info, const launch_config& config) const;

 private:
  void reduce_sum(std::span<const T> a, std::span<const T> b);
  void reduce_product(std::span<const T> a, std::span<const T> b);

  operation op_;
  T value_ = 0;
  std::size_t n_ = 0;
  long double step_ = 0;
  long double ulp_ = 0;        // of value_
  accumulator<T> sum_;         // operation sum only
  long double magnitude_ = 0;  // S = sum |a b|
  long double product_ = 1;    // operation product only: the product before rounding to T
  bool in_range_ = true;       // operation product only: no order of the factors over- or underflows
};

extern template class reference<float>;
extern template class reference<double>;

}  // namespace exactdot::lab
