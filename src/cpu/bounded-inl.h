// Bounded sums: a sum with a proven error bound. bounded_sum.hpp tests whether the bound decides the rounding.
//
// float: products are exact in double and added plainly; Cauchy-Schwarz bounds the sum of their magnitudes.
// double: an anchor 1.5·2^k splits each product so that the high parts add without error (Rump, Ogita, Oishi,
// "Accurate floating-point summation I", 2008, §3: ExtractVector; a fused multiply-add splits the product without
// computing it); the residuals, rounded once, add plainly.
// Cost per register: floats 4 conversions and 4 flops; doubles 5 flops, and a sample of 8 elements a call.
#if defined(EXACTDOT_CPU_BOUNDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_BOUNDED_INL_H_
#undef EXACTDOT_CPU_BOUNDED_INL_H_
#else
#define EXACTDOT_CPU_BOUNDED_INL_H_
#endif

#include <cpu/scale-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/bounded_sum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t bounded_block = 2048;
constexpr std::size_t short_vector =
    192;  // floats: up to here the root and the sums of squares cost more than they save

/// Two accumulators of doubles for the halves of a float_pair, and what bounds their error: the sums of the squares
/// of a and of b or, for data whose squares leave the range of float (`any_size`), the sum of |product|.
template <class Term, bool any_size>
struct float_sums {
  using tag = hn::ScalableTag<double>;
  using float_tag = hn::ScalableTag<float>;
  vec<tag> low, high, magnitude;
  vec<float_tag> squares_a, squares_b;

  HWY_INLINE float_sums() {
    low = high = magnitude = hn::Zero(tag());
    squares_a = squares_b = hn::Zero(float_tag());
  }

  template <bool whole>
  HWY_INLINE void add(const float* a, const float* b, std::size_t count) {
    low = add_half<whole>(a, b, 0, count, low);
    high = add_half<whole>(a, b, float_pair / 2, count, high);
    if constexpr (!any_size) {
      const float_tag d;
      for (std::size_t first = 0; first < float_pair; first += hn::Lanes(d)) {
        const auto of = load_factors<Term, whole>(d, a, b, first, count);
        squares_a = fused_add(d, of.x, of.x, squares_a);
        if constexpr (Term::inputs == 2) squares_b = fused_add(d, of.y, of.y, squares_b);
      }
    }
  }

  /// An upper bound on the sum of |product| of `count` terms; infinite or NaN if this kind of sums does not suit
  /// the data.
  HWY_INLINE double bound(std::size_t count) const {
    if constexpr (any_size) return sum_lanes(tag(), magnitude) * 1.0625;
    // 1.0625: rounding errors, at most 2^-12. Above 2^-100 underflow loses less than that too.
    const double a = sum_lanes(float_tag(), squares_a);
    const double b = Term::inputs == 2    ? sum_lanes(float_tag(), squares_b)
                     : Term::factors == 2 ? a
                                          : static_cast<double>(count);
    return a > 0x1p-100 && b > 0x1p-100 ? std::sqrt(a * b) * 1.0625 : HUGE_VAL;
  }

 private:
  template <bool whole>
  HWY_INLINE vec<tag> add_half(const float* a, const float* b, std::size_t first, std::size_t count, vec<tag> sum) {
    const auto of = load_promoted_factors<Term, whole>(a, b, first, count);
    if constexpr (any_size) magnitude = fused_add(tag(), hn::Abs(of.x), hn::Abs(of.y), magnitude);
    return fused_add(tag(), of.x, of.y, sum);
  }
};

template <class Term, bool any_size>
bool bounded_float_sum(const float* a, const float* b, std::size_t n, bounded_sum& result) {
  constexpr std::size_t width = float_pair;
  result = {};
  for (; n != 0;) {
    const std::size_t count = std::min(n, bounded_block);
    float_sums<Term, any_size> even, odd;
    std::size_t i = 0;
    for (; i + 2 * width <= count; i += 2 * width) {
      even.template add<true>(a + i, b + i, width);
      odd.template add<true>(a + i + width, b + i + width, width);
    }
    for (; i < count; i += width) even.template add<false>(a + i, b + i, count - i);
    even.low = hn::Add(hn::Add(even.low, odd.low), hn::Add(even.high, odd.high));
    even.magnitude = hn::Add(even.magnitude, odd.magnitude);
    even.squares_a = hn::Add(even.squares_a, odd.squares_a);
    even.squares_b = hn::Add(even.squares_b, odd.squares_b);
    const double magnitudes = even.bound(count), error = summation_error(count / width + 2, 2 * width, magnitudes);
    if (!(error < HUGE_VAL)) return false;
    result.largest = std::max(result.largest, magnitudes);
    add(result, sum_lanes(hn::ScalableTag<double>(), even.low), 0, error);
    a += count, b += count, n -= count;
  }
  return true;
}

/// Whether the squares of the first elements are normal floats. If they are not, an attempt with squares would
/// fail, and slowly: on common processors each operation on a subnormal costs a hundred cycles.
HWY_INLINE bool starts_moderate(const float* x, std::size_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto size = hn::BitCast(du, hn::Abs(load_part<false>(d, x, 0, n)));
  const auto below = [&](auto bits, float limit)
                         HWY_ATTR { return hn::Lt(bits, hn::Set(du, std::bit_cast<std::uint32_t>(limit) - 1)); };
  const auto less_one = hn::Sub(size, hn::Set(du, 1));  // turns 0, which is welcome, into the largest
  return hn::AllFalse(du, hn::Or(below(less_one, 0x1p-50F), hn::Not(below(size, 0x1p50F))));
}

template <class Term>
bool bounded_sum_of(const float* a, const float* b, std::size_t n, bounded_sum& result) {
  const bool moderate = n > short_vector && starts_moderate(a, n) && (Term::inputs == 1 || starts_moderate(b, n));
  return (moderate && bounded_float_sum<Term, false>(a, b, n, result)) ||
         bounded_float_sum<Term, true>(a, b, n, result);
}

/// Adds a block of products that should be below 2^exponent; false if one is not. smallest_error: the error of one
/// product by underflow or scaling.
template <class Term>
HWY_INLINE bool add_bounded_products(const double* a, const double* b, std::size_t n, int exponent,
                                     double smallest_error, bounded_sum& result) {
  const hn::ScalableTag<double> d;
  using v = vec<decltype(d)>;
  const std::size_t width = hn::Lanes(d);
  // A lane of a sum takes at most steps + 1 high parts. By Cauchy-Schwarz, while their squares add up to at most
  // 4^exponent, they add up to less than 2^(anchor_exponent - 1) and stay in the anchor's binade. A residual is at
  // most half the anchor's unit.
  constexpr std::size_t steps = bounded_block / (2 * hn::MaxLanes(d));
  const int anchor_exponent = exponent + (std::bit_width(steps) + 1) / 2 + 1;
  const v anchor = hn::Set(d, 1.5 * power_of_two(anchor_exponent));
  const double half_unit = power_of_two(anchor_exponent - 53);
  struct sums {
    v high, residual, squares;
  };
  sums even{anchor, hn::Zero(d), hn::Zero(d)}, odd = even;
  const auto step = [&](factors<v> of, sums& sum) HWY_ATTR {
    const v next = fused_add(d, of.x, of.y, sum.high);
    const v high = hn::Sub(next, sum.high);  // the product to the anchor's unit, exactly
    sum.residual = hn::Add(sum.residual, fused_subtract(d, of.x, of.y, high));
    sum.high = next;
    sum.squares = fused_add(d, high, high, sum.squares);
  };
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    step(load_factors<Term, true>(d, a + i, b + i, 0, width), even);
    step(load_factors<Term, true>(d, a + i + width, b + i + width, 0, width), odd);
  }
  for (; i < n; i += width) step(load_factors<Term, false>(d, a + i, b + i, 0, n - i), even);
  const double limit = power_of_two(exponent), squares = sum_lanes(d, hn::Add(even.squares, odd.squares));
  if (!(squares <= limit * limit)) return false;
  const double high = sum_lanes(d, hn::Add(hn::Sub(even.high, anchor), hn::Sub(odd.high, anchor)));  // exact
  const double residual = sum_lanes(d, hn::Add(even.residual, odd.residual));
  // A residual is rounded once more than there are additions.
  const double count = static_cast<double>(n);
  const double error = summation_error(n / (2 * width) + 2, 4 * width, count * half_unit);
  add(result, high, residual, error + count * smallest_error);
  // a product that scaling dropped is at most smallest_error
  result.largest = std::max(result.largest, std::sqrt(squares) * 1.0625 + 2 * half_unit + smallest_error);
  return true;
}

template <class Term>
bool bounded_sum_of(const double* a, const double* b, std::size_t n, bounded_sum& result) {
  const auto add_blocks = [&](int exponent) HWY_ATTR {
    result = {};
    for (std::size_t i = 0; i < n; i += bounded_block) {
      const std::size_t count = std::min(n - i, bounded_block);
      if (!add_bounded_products<Term>(a + i, b + i, count, exponent, underflow_of<Term, double>, result))
        return false;
    }
    return true;
  };
  if (with_exponent_of_products<Term>(a, b, n, add_blocks)) return true;
  const auto add_scaled =
      [](const double* x, const double* y, std::size_t count, int exponent, double error, bounded_sum& sum)
          HWY_ATTR { return add_bounded_products<Term>(x, y, count, exponent + exponent_margin, error, sum); };
  return add_scaled_blocks<Term>(a, b, n, result, add_scaled);
}

template <class T, class Term>
bool bounded(const void* a, const void* b, std::size_t n, bounded_sum& result) {
  return bounded_sum_of<Term>(static_cast<const T*>(a), static_cast<const T*>(b), n, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
