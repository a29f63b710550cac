// Sums of groups: each element is added to the compensated sum that its key selects, or those of each run by
// themselves.
//
// The sums are those of a column (cpu/columns-inl.h): TwoSum, of products of doubles TwoProduct (Ogita, Rump, Oishi
// 2005, Dot2), and the bound of cpu/column_sums.hpp. No lanes: neighbouring elements may belong to one group. Cost
// per term: 8 flops, of products of doubles 10, and one load and store of a half cache line, prefetched.
#if defined(EXACTDOT_CPU_GROUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_GROUPS_INL_H_
#undef EXACTDOT_CPU_GROUPS_INL_H_
#else
#define EXACTDOT_CPU_GROUPS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cmath>
#include <cpu/column_sums.hpp>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Element i, at any address, as a double.
template <class T>
HWY_INLINE double element_at(const void* x, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(x) + i * sizeof value, sizeof value);
  return static_cast<double>(value);
}

/// to += the term of x and y.
template <class T, class Term>
HWY_INLINE void add_term(double x, double y, group_sums& to) {
  if constexpr (Term::absolute) x = std::abs(x), y = std::abs(y);
  const double term = Term::factors == 2 ? x * y : x;
  const double sum = to.sum, next = sum + term, added = next - sum;
  double lost = (sum - (next - added)) + (term - added);
  const double size = std::abs(term);
  double smallest = to.smallest;
  if constexpr (Term::factors == 2 && sizeof(T) == sizeof(double)) {
    const double rest = std::fma(x, y, -term);
    lost += rest;
    smallest = rest == 0 && size != 0 ? smallest : 0;  // not one double, or it may have underflowed
  }
  to.sum = next;
  to.error += lost;
  to.magnitude += std::abs(lost);
  const double candidate = size != 0 ? size : HUGE_VAL;
  to.smallest = candidate < smallest ? candidate : smallest;  // without a branch, which nothing predicts
}

template <class T, class Term>
void add_groups(const void* a, const void* b, const std::uint32_t* slots, std::size_t n, group_sums* table) {
  for (std::size_t i = 0; i < n; ++i) {
    hwy::Prefetch(table + slots[i + group_slots_ahead]);
    const double x = element_at<T>(a, i), y = Term::inputs == 2 ? element_at<T>(b, i) : x;
    add_term<T, Term>(x, y, table[slots[i]]);
  }
}

/// The sums of elements that follow each other stay in registers, and those of several runs overlap.
template <class T, class Term>
void sum_runs(const void* a, const void* b, const std::uint32_t* sizes, std::size_t runs, group_sums* table) {
  std::size_t i = 0;
  for (std::size_t k = 0; k < runs; ++k) {
    group_sums sums;
    for (const std::size_t end = i + sizes[k]; i < end; ++i) {
      const double x = element_at<T>(a, i), y = Term::inputs == 2 ? element_at<T>(b, i) : x;
      add_term<T, Term>(x, y, sums);
    }
    table[k] = sums;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
