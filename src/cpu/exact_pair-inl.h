// Sums without an error in two doubles per lane, for sums that a bound leaves next to a tie.
//
// Terms are added by TwoSum, and their errors by TwoSum again (T. Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput.
// 26, 2005, §4: SumK). What the second sum loses is collected as bits: if there are none, high + low is the sum
// itself. That holds for addends whose bits span about 100 places: numbers of alike sizes, and those of few bits.
// Products of doubles are a value and an error; one that may lose bits by underflow counts as lost.
// Cost per register: 13 flops, of products of doubles 22; 18 flops a lane join them.
#if defined(EXACTDOT_CPU_EXACT_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXACT_PAIR_INL_H_
#undef EXACTDOT_CPU_EXACT_PAIR_INL_H_
#else
#define EXACTDOT_CPU_EXACT_PAIR_INL_H_
#endif

#include <cpu/scale-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/bounded_sum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// high + low, exactly, if no bit of `lost` but signs is set.
struct pair_sums {
  using tag = hn::ScalableTag<double>;
  using v = vec<tag>;
  v high, low, lost;

  HWY_INLINE pair_sums() { high = low = lost = hn::Zero(tag()); }
  HWY_INLINE void add(v x) { add_low(add_error(high, x)); }
  HWY_INLINE void add_low(v x) { lost = hn::Or(lost, add_error(low, x)); }

  /// The terms of a register of factors.
  template <class Term, class T>
  HWY_INLINE void add_terms(factors<v> of) {
    if constexpr (Term::factors == 1) {
      add(of.x);
    } else {
      const tag d;
      const v product = hn::Mul(of.x, of.y);
      add(product);
      if constexpr (std::is_same_v<T, double>) {
        add_low(fused_subtract(d, of.x, of.y, product));
        const auto is_small = hn::Lt(hn::Abs(product), hn::Set(d, 0x1p-900));
        const v factor = hn::Min(hn::Abs(of.x), hn::Abs(of.y));  // 0 if the product is
        lost = hn::Or(lost, hn::IfThenElseZero(is_small, factor));
      }
    }
  }

 private:
  /// sum += x; the rounding error.
  static HWY_INLINE v add_error(v& sum, v x) {
    const v next = hn::Add(sum, x), added = hn::Sub(next, sum);
    const v error = hn::Add(hn::Sub(sum, hn::Sub(next, added)), hn::Sub(x, added));
    sum = next;
    return error;
  }
};

template <class T, class Term>
bool sum_exact_pair(const void* a, const void* b, std::size_t n, exact_pair& result) {
  const pair_sums::tag d;
  const std::size_t width = hn::Lanes(d);
  plain_load<Term, T> load(static_cast<const T*>(a), static_cast<const T*>(b));
  pair_sums even, odd;
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    even.add_terms<Term, T>(load.template get<true>(i, n));
    odd.add_terms<Term, T>(load.template get<true>(i + width, n));
  }
  for (; i < n; i += width) even.add_terms<Term, T>(load.template get<false>(i, n));
  even.add(odd.high), even.add_low(odd.low);
  auto lost = hn::Or(even.lost, odd.lost);
  HWY_ALIGN double high[hn::MaxLanes(d)], low[hn::MaxLanes(d)], bits[hn::MaxLanes(d)];
  hn::Store(even.high, d, high);
  hn::Store(even.low, d, low);
  hn::Store(lost, d, bits);
  result = {high[0], low[0], bits[0] == 0};
  for (std::size_t k = 1; k < width; ++k) add(result, {high[k], low[k], bits[k] == 0});
  return result.is_exact && std::abs(result.high) < HUGE_VAL;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
