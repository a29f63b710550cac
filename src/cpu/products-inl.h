// Products of doubles as a double and an error, for terms of three factors: the square of an element, in two
// doubles, times another is a sum of products, which every kernel of products adds exactly.
//
// TwoProductFMA (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26, 2005, Algorithm 3.5): exact unless the product
// overflows or its error is below the last bit of the least subnormal number. Cost: two operations a register.
#if defined(EXACTDOT_CPU_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_PRODUCTS_INL_H_
#undef EXACTDOT_CPU_PRODUCTS_INL_H_
#else
#define EXACTDOT_CPU_PRODUCTS_INL_H_
#endif

#include <algorithm>
#include <cpu/simd-inl.h>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

bool multiply_exactly(const double* a, const double* b, std::size_t n, double* product, double* error) {
  const hn::ScalableTag<double> d;
  const auto lowest = hn::Set(d, 0x1p-968), highest = hn::Set(d, 0x1p1020);
  auto all_exact = hn::Eq(lowest, lowest);
  const auto multiply = [&](vec<decltype(d)> x, vec<decltype(d)> y, double* to, double* rest) {
    const auto value = hn::Mul(x, y), size = hn::Abs(value);
    const auto is_zero = hn::Or(hn::Eq(x, hn::Zero(d)), hn::Eq(y, hn::Zero(d)));
    const auto in_range = hn::And(hn::Ge(size, lowest), hn::Le(size, highest));
    all_exact = hn::And(all_exact, hn::Or(in_range, is_zero));
    hn::StoreU(value, d, to);
    hn::StoreU(fused_subtract(d, x, y, value), d, rest);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    multiply(hn::LoadU(d, a + i), hn::LoadU(d, b + i), product + i, error + i);
  }
  if (i != n) {
    HWY_ALIGN double last[4][hn::MaxLanes(hn::ScalableTag<double>())] = {};
    std::memcpy(last[0], a + i, (n - i) * sizeof *a);  // unaligned, as all of a and b may be
    std::memcpy(last[1], b + i, (n - i) * sizeof *b);
    multiply(hn::Load(d, last[0]), hn::Load(d, last[1]), last[2], last[3]);
    std::copy_n(last[2], n - i, product + i), std::copy_n(last[3], n - i, error + i);
  }
  return hn::AllTrue(d, all_exact);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
