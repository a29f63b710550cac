// The bounds of sums of columns, many at once: plain_column, plain_column_of_values and bounded_column of
// cpu/plain_sums.hpp and cpu/column_sums.hpp, which prove them, in the lanes of registers.
#if defined(EXACTDOT_CPU_COLUMN_BOUNDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_COLUMN_BOUNDS_INL_H_
#undef EXACTDOT_CPU_COLUMN_BOUNDS_INL_H_
#else
#define EXACTDOT_CPU_COLUMN_BOUNDS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cpu/column_sums.hpp>
#include <cpu/plain_sums.hpp>
#include <cpu/sum_bounds.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// See instruction_set::bound_plain_values. Products have sums of magnitudes in place of the largest and smallest.
template <bool are_products>
void bound_plain_columns(const plain_sums& of, std::size_t start, std::size_t count, double n, double* bounds) {
  const hn::ScalableTag<double> d;
  const auto relative = hn::Set(d, plain_column(0, 0, 1, n).bound);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t at = start + i;
    auto bound = hn::Zero(d);
    if constexpr (are_products) {
      bound = hn::Mul(relative, hn::LoadU(d, of.magnitude + at));
    } else {
      const hn::Rebind<std::uint32_t, decltype(d)> bits;
      const hn::Rebind<float, decltype(d)> f;
      const auto smallest = hn::LoadU(bits, of.smallest + at), next = hn::Add(smallest, hn::Set(bits, 1));
      const auto least = hn::PromoteTo(d, hn::BitCast(f, next));
      const auto magnitude =
          hn::Mul(hn::Set(d, n), hn::PromoteTo(d, hn::BitCast(f, hn::LoadU(bits, of.largest + at))));
      // without an element but 0 the least is 0, and so is the largest
      const auto is_exact =
          hn::And(hn::Le(magnitude, hn::Mul(hn::Set(d, 0x1p28), least)), hn::Lt(magnitude, hn::Set(d, HUGE_VAL)));
      bound = hn::IfThenZeroElse(is_exact, hn::Mul(relative, magnitude));
    }
    hn::StoreU(bound, d, bounds + i);
  }
}

/// See instruction_set::bound_columns.
void bound_columns(const column_sums& of, std::size_t start, std::size_t count, std::size_t n,
                   bool has_two_part_terms, double* bounds) {
  const hn::ScalableTag<double> d;
  const double terms = static_cast<double>(n) + 2;
  const auto relative = hn::Set(d, 2 * terms * unit_roundoff * 1.0625);
  const auto absolute = hn::Set(d, has_two_part_terms ? terms * 0x1p-1073 : 0.0);
  const auto least = hn::Set(d, has_two_part_terms ? 0x1p-900 : 0.0);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t at = start + i;
    const auto magnitude = hn::LoadU(d, of.magnitude + at), smallest = hn::LoadU(d, of.smallest + at);
    const auto is_exact = hn::And(hn::Lt(magnitude, smallest), hn::Gt(smallest, least));
    const auto bound = hn::Add(hn::Mul(relative, magnitude), absolute);
    hn::StoreU(hn::IfThenZeroElse(is_exact, bound), d, bounds + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
