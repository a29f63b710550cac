// Terms x²y of a chunk as terms of two factors: x² is a double and an error, so Σx²y is two sums of products.
//
// The squares of |x| in [2^-484, 2^510], and of 0, are such (products-inl.h). Other numbers are multiplied by 2^608
// or 2^-608 first and have a state of their own, of which ratio_sums.cpp knows the unit; bounded sums leave them to
// states.
#pragma once

#include <array>
#include <cmath>
#include <cpu/kernels.hpp>
#include <cstring>
#include <memory>

namespace exactdot::inline v0_3::cpu_engine {

enum class square_range : unsigned char { ordinary, small, large };
inline constexpr std::array square_ranges = {square_range::ordinary, square_range::small, square_range::large};
/// A square of this range is in units of 2^this.
constexpr int unit_of_squares(square_range range) {
  return range == square_range::small ? -1216 : range == square_range::large ? 1216 : 0;
}

class square_terms {
 public:
  square_terms() = default;
  /// For chunks of `length` elements. single: of elements whose squares are doubles.
  square_terms(std::size_t length, bool single) : single_(single) {
    for (auto* each : {&product_, &error_, &scaled_}) *each = std::make_unique_for_overwrite<double[]>(length);
  }

  /// visit(products, range) for each of the vectors of doubles that x·y is the sum of, where y is x or another part
  /// of it, while it is true. False if it was not, or if !all_ranges and an element is of another range than the
  /// ordinary one.
  template <class Visit>
  bool for_products(const void* x, const void* y, std::size_t n, bool all_ranges, const Visit& visit) const {
    const auto* const a = static_cast<const double*>(x);
    const auto* const b = static_cast<const double*>(y);
    const auto multiply = current_instruction_set().multiply_exactly;
    if (multiply(a, b, n, product_.get(), error_.get())) return visit_both(square_range::ordinary, visit);
    if (!all_ranges) return false;
    for (const square_range range : square_ranges) {  // of doubles, which have one part
      if (!scale(a, n, range)) continue;
      multiply(scaled_.get(), scaled_.get(), n, product_.get(), error_.get());
      if (!visit_both(range, visit)) return false;
    }
    return true;
  }

 private:
  template <class Visit>
  bool visit_both(square_range range, const Visit& visit) const {
    return visit(product_.get(), range) && (single_ || visit(error_.get(), range));
  }
  static square_range range_of(double x) {
    const double size = std::abs(x);
    return size < 0x1p-484 ? square_range::small : size > 0x1p510 ? square_range::large : square_range::ordinary;
  }
  /// The elements of a range, scaled; 0 in place of the others, and of what is no number. False if there are none.
  bool scale(const double* x, std::size_t n, square_range range) const {
    const double unit = std::ldexp(1.0, -unit_of_squares(range) / 2);
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
      double value = 0;
      std::memcpy(&value, x + i, sizeof value);  // unaligned
      const bool is_in = value != 0 && std::isfinite(value) && range_of(value) == range;
      scaled_[i] = is_in ? value * unit : 0;
      any = any || is_in;
    }
    return any;
  }

  bool single_ = false;
  std::unique_ptr<double[]> product_, error_, scaled_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
