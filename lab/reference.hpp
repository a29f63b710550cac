// What a rung has to come up with, and by how much it may be off.
//
// For a sum: the exact dot, from exactdot's accumulator, and the bound that the rung's technique has been proved to
// keep, computed from the data. For min, max and absmax: the one right value. For a product: one computed with
// longer significands and an exponent that cannot overflow.
#pragma once

#include <exactdot/accumulator.hpp>
#include <lab/registry.hpp>
#include <span>

namespace exactdot::lab {

template <element T>
class reference {
 public:
  reference(std::span<const T> a, std::span<const T> b, operation op);

  [[nodiscard]] T value() const { return value_; }  ///< rounded once
  /// |x - the exact value| / ulp(value()); for a product to about four digits. 0 where an infinity or a NaN is
  /// right.
  [[nodiscard]] long double ulps_off(T x) const;
  /// How many ulps the rung's promise leaves it. Infinite where nothing is promised, as where a partial result may
  /// overflow.
  [[nodiscard]] long double ulps_allowed(const rung_info& info, const shape& size) const;

 private:
  void reduce_sum(std::span<const T> a, std::span<const T> b);
  void reduce_product(std::span<const T> a, std::span<const T> b);

  operation op_;
  T value_ = 0;
  std::size_t n_ = 0;
  long double ulp_ = 0;        // of value_
  accumulator<T> sum_;         // of a sum only
  long double magnitude_ = 0;  // sum |a b|
  long double product_ = 1;    // of a product only: its significand; its exponent is that of value_
  bool in_range_ = true;       // of a product only: no order of the factors over- or underflows
};

extern template class reference<float>;
extern template class reference<double>;

}  // namespace exactdot::lab
