// Bounded sums: a sum with a proven error bound, so small that rounding it is rounding the exact sum in all but a
// few cases in a thousand (bounded_sum.hpp tests which).
//
// float: products are exact in double and added plainly; Cauchy-Schwarz bounds the sum of their magnitudes.
// double: an anchor 1.5·2^k splits each product so that the high parts add without error (Rump, Ogita, Oishi,
// "Accurate floating-point summation I", 2008, §3: ExtractVector; a fused multiply-add splits the product without
// computing it); the residuals, rounded once, add plainly.
// Cost: 4 conversions and 4 flops per vector of floats; 5 flops per vector of doubles, and a sample of 8 elements.
#if defined(EXACTDOT_CPU_BOUNDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_BOUNDED_INL_H_
#undef EXACTDOT_CPU_BOUNDED_INL_H_
#else
#define EXACTDOT_CPU_BOUNDED_INL_H_
#endif

#include <cpu/exponents-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/bounded_sum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t bounded_block = 2048;
constexpr std::size_t short_vector =
    192;  // floats: up to here the root and the sums of squares cost more than they save
/// Exponents between the largest product and a bound on the root of a block's sum of their squares; and the same
/// when only a sample of the products is known.
constexpr int exponent_margin = 6, exponent_margin_of_sample = 10;

/// An upper bound on the error of summing numbers whose magnitudes add up to `magnitude`, in accumulators with
/// `steps` additions each, and then over `lanes`: (depth of the additions) · u · magnitude, with 1/16 to spare.
HWY_INLINE double summation_error(std::size_t steps, std::size_t lanes, double magnitude) {
  return static_cast<double>(steps + lanes + 16) * unit_roundoff * magnitude * 1.0625;
}

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

  /// An upper bound on the sum of |product| of `count` terms; infinite or NaN if this kind of sums does not suit the
  /// data.
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
    const double error = summation_error(count / width + 2, 2 * width, even.bound(count));
    if (!(error < HUGE_VAL)) return false;
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

/// The largest error of one product by underflow, or by what scaling drops.
HWY_INLINE double smallest_error(unscaled) { return 0x1p-1000; }
HWY_INLINE double smallest_error(const product_scale&) { return 0x1p-398; }

/// Adds a block of scaled products that should be below 2^exponent; false if one is not.
template <class Term, class Scale>
HWY_INLINE bool add_bounded_products(const double* a, const double* b, std::size_t n, int exponent,
                                     const Scale& scale, bounded_sum& result) {
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
    scale(of.x, of.y);
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
  const double limit = power_of_two(exponent);
  if (!(sum_lanes(d, hn::Add(even.squares, odd.squares)) <= limit * limit)) return false;
  const double high = sum_lanes(d, hn::Add(hn::Sub(even.high, anchor), hn::Sub(odd.high, anchor)));  // exact
  const double residual = sum_lanes(d, hn::Add(even.residual, odd.residual));
  // A residual is rounded once more than there are additions.
  const double count = static_cast<double>(n);
  const double error = summation_error(n / (2 * width) + 2, 4 * width, count * half_unit);
  add(result, high, residual, error + count * smallest_error(scale));
  return true;
}

template <class Term, class Scale>
bool add_blocks(const double* a, const double* b, std::size_t n, int exponent, const Scale& scale,
                bounded_sum& result) {
  for (std::size_t start = 0; start < n; start += bounded_block) {
    const std::size_t count = std::min(n - start, bounded_block);
    if (!add_bounded_products<Term>(a + start, b + start, count, exponent, scale, result)) return false;
  }
  return true;
}

HWY_INLINE std::uint64_t bits_at(const double* x) {
  std::uint64_t bits;
  std::memcpy(&bits, x, sizeof bits);  // any alignment
  return bits;
}

/// An upper bound on the exponents of eight elements spread over x; below -1000 if they are zero or subnormal. In
/// scalar registers: a vector's lanes would have to be combined.
HWY_INLINE int sample_exponent(const double* x, std::size_t n) {
  const std::size_t stride = (n + 7) / 8;
  const auto size = [&](std::size_t i) { return bits_at(x + std::min(i * stride, n - 1)) << 1; };
  const auto larger = [&](std::size_t i) { return std::max(size(i), size(i + 4)); };
  const std::uint64_t most = std::max(std::max(larger(0), larger(2)), std::max(larger(1), larger(3)));
  return static_cast<int>(most >> 53) - 1022;
}

/// A guess at a power of two above all products: exponent_margin_of_sample exponents above the largest |a| times
/// the largest |b| of the samples. 1024 if it could leave the range of normal doubles. NaNs are detected later.
template <class Term>
HWY_INLINE int guess_exponent(const double* a, const double* b, std::size_t n) {
  const int highest_a = sample_exponent(a, n);
  const int highest_b = Term::inputs == 2 ? sample_exponent(b, n) : Term::factors == 2 ? highest_a : 1;
  const bool moderate = std::abs(highest_a) < 240 && std::abs(highest_b) < 240;
  return moderate ? highest_a + highest_b + exponent_margin_of_sample : 1024;
}

template <class Term>
bool bounded_sum_of(const double* a, const double* b, std::size_t n, bounded_sum& result) {
  const int exponent = guess_exponent<Term>(a, b, n);
  if (exponent < 1024) {
    result = {};
    if (add_blocks<Term>(a, b, n, exponent, unscaled(), result)) return true;
  }
  const exponent_range products = product_exponents<Term, false>(a, b, n);
  if (!products.finite || products.zero) return false;
  result = {.exponent = products.highest};
  return add_blocks<Term>(a, b, n, exponent_margin, product_scale(products.highest), result);
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
