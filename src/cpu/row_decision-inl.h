// Results of many bounded sums at once, where both ends of their intervals round to the same number: the decision
// of core::decide_rounding in the lanes of registers, with the ends of core::widened. Others stay open. Cost: some
// 10 operations a register.
#if defined(EXACTDOT_CPU_ROW_DECISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_ROW_DECISION_INL_H_
#undef EXACTDOT_CPU_ROW_DECISION_INL_H_
#else
#define EXACTDOT_CPU_ROW_DECISION_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <algorithm>
#include <cmath>
#include <cpu/row_bounds.hpp>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The low and the high end of results, as core::widened has them; the former NaN and the latter 0 if an end is not
/// finite.
template <class R>
struct row_ends {
  using tag = hn::ScalableTag<double>;
  vec<tag> low, high;

  HWY_INLINE row_ends(const row_bounds& of, std::size_t i) {
    const tag d;
    const auto head = hn::LoadU(d, of.head + i), tail = hn::LoadU(d, of.tail + i);
    auto bound = hn::Add(hn::Mul(hn::LoadU(d, of.bound + i), hn::Set(d, 1.0625)),
                         hn::Mul(hn::Abs(tail), hn::Set(d, 0x1p-52)));
    if constexpr (sizeof(R) < sizeof(double)) {
      bound = hn::Add(bound, hn::Mul(hn::Abs(head), hn::Set(d, 0x1p-51)));
    }
    const auto is_finite = hn::VecFromMask(d, hn::Lt(hn::Add(hn::Abs(head), bound), hn::Set(d, HUGE_VAL)));
    low = hn::Or(hn::Add(head, hn::Sub(tail, bound)), hn::Not(is_finite));
    high = hn::And(hn::Add(head, hn::Add(tail, bound)), is_finite);
  }
};

HWY_INLINE vec<hn::ScalableTag<double>> rounded(double, vec<hn::ScalableTag<double>> x) { return x; }
template <class V>
HWY_INLINE auto rounded(float, V x) {
  const hn::Rebind<float, hn::ScalableTag<double>> d;
// whose DemoteTo has the greatest float for an infinite one
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  const hn::ScalableTag<double> wide;
  HWY_ALIGN double from[hn::MaxLanes(wide)];
  HWY_ALIGN float to[hn::MaxLanes(wide)];
  hn::Store(x, wide, from);
  for (std::size_t i = 0; i < hn::MaxLanes(wide); ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(d, to);
#else
  return hn::DemoteTo(d, x);
#endif
}

/// See instruction_set::decide_rows.
template <class R>
bool decide_rows(const row_bounds& of, std::size_t count, char* to, bool* is_open) {
  const hn::Rebind<R, hn::ScalableTag<double>> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<double>());
  bool any_open = false;
  for (std::size_t i = 0; i < count; i += lanes) {
    const row_ends<R> ends(of, i);
    const auto low = rounded(R(), ends.low), high = rounded(R(), ends.high);
    const std::size_t some = std::min(count - i, lanes);
    if (some == lanes) {
      hn::StoreU(low, d, reinterpret_cast<R*>(to + i * sizeof(R)));
    } else {
      HWY_ALIGN R last[lanes];
      hn::Store(low, d, last);
      std::memcpy(to + i * sizeof(R), last, some * sizeof(R));
    }
    const auto is_same = hn::Eq(hn::BitCast(bits, low), hn::BitCast(bits, high));
    if (hn::AllTrue(bits, is_same)) continue;
    HWY_ALIGN hn::TFromD<decltype(bits)> certain[lanes];
    hn::Store(hn::VecFromMask(bits, is_same), bits, certain);
    for (std::size_t k = 0; k < some; ++k) {
      is_open[i + k] = certain[k] == 0;
      any_open |= certain[k] == 0;
    }
  }
  return any_open;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
