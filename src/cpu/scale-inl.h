// Magnitudes of products of doubles, by samples or over all elements; and copies of vectors, each scaled by a power
// of two, for products outside the range of doubles.
//
// The powers follow from a sample, so that a pass over the elements is saved; a wrong guess shows in infinite or
// tiny products. Scaled blocks are copied, so that every kernel takes them. Elements that would become so small
// that a product could be subnormal are dropped, and vectors of subnormals are converted from their bits: on common
// processors each operation on a subnormal costs a hundred cycles.
#if defined(EXACTDOT_CPU_SCALE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_SCALE_INL_H_
#undef EXACTDOT_CPU_SCALE_INL_H_
#else
#define EXACTDOT_CPU_SCALE_INL_H_
#endif

#include <cpu/exponents-inl.h>
#include <cpu/simd-inl.h>

#include <core/term.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The bits of |x| at any alignment, shifted left by one.
template <class T>
HWY_INLINE auto size_at(const T* x) {
  typename core::format<T>::bits bits;
  std::memcpy(&bits, x, sizeof bits);
  return static_cast<decltype(bits)>(bits << 1);
}

/// An upper bound on the exponents of 32 elements spread over x; -1022 if they are zero or subnormal.
HWY_INLINE int sample_exponent(const double* x, std::size_t n) {
  const std::size_t stride = n / 32 | 1;  // odd, for data with a period of two
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < n; i += stride) largest = std::max(largest, size_at(x + i));
  return static_cast<int>(largest >> 53) - 1022;
}

/// Exponents between the largest product and a bound on the root of a block's sum of their squares.
constexpr int exponent_margin = 6;

/// Scaled elements below this are dropped: products of the others are normal.
constexpr int lowest_scaled = -511;
/// A scaled element may have this exponent, and a sampled one is so far below it.
constexpr int highest_scaled = 200, sample_margin = 250;

/// The scaling of one vector: 2^exponent() times its elements.
class vector_scale {
 public:
  /// Chooses it from a sample of x.
  HWY_INLINE vector_scale(const double* x, std::size_t n) {
    const int sample = sample_exponent(x, n);
    subnormal_ = sample <= -1022;
    exponent_ = subnormal_ ? 1074 : highest_scaled - std::min(1023, sample + sample_margin);
  }
  [[nodiscard]] int exponent() const { return exponent_; }

  /// Scales n elements of x. Returns the largest magnitude; infinite if the sample was misleading.
  HWY_INLINE double copy(const double* x, std::size_t n, double* scaled) const {
    const hn::ScalableTag<double> d;
    const hn::RebindToUnsigned<decltype(d)> di;
    if (subnormal_) {
      // under the exponent of 2^52 the bits of a subnormal are a normal number: 2^52 + |x|·2^1074
      auto seen = hn::Zero(d);
      const auto two_to_52 = hn::Set(d, 0x1p52);
      const double largest = copy_each(x, n, scaled, [&](auto v) HWY_ATTR {
        seen = hn::Or(seen, v);
        return hn::CopySignToAbs(hn::Sub(hn::Or(hn::Abs(v), two_to_52), two_to_52), v);
      });
      const auto exponents = hn::And(hn::BitCast(di, seen), hn::Set(di, std::uint64_t{0x7ff} << 52));
      return hn::AllTrue(di, hn::Eq(exponents, hn::Zero(di))) ? largest : HUGE_VAL;
    }
    // where the threshold would be subnormal nothing is dropped
    const int lowest = lowest_scaled - exponent_;
    const auto threshold = hn::Set(d, lowest >= -1022 ? power_of_two(lowest) : 0);
    const auto factor = hn::Set(d, power_of_two(exponent_));
    return copy_each(x, n, scaled, [&](auto v) HWY_ATTR {
      return hn::Mul(hn::IfThenZeroElse(hn::Lt(hn::Abs(v), threshold), v), factor);
    });
  }

 private:
  template <class Step>
  static HWY_INLINE double copy_each(const double* x, std::size_t n, double* scaled, Step step) {
    const hn::ScalableTag<double> d;
    auto largest = hn::Zero(d);
    std::size_t i = 0;
    const auto copy_register = [&](auto v) HWY_ATTR {
      const auto result = step(v);
      largest = hn::Max(largest, hn::Abs(result));
      hn::StoreU(result, d, scaled + i);
    };
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) copy_register(hn::LoadU(d, x + i));
    if (i < n) copy_register(load_part<false>(d, x, i, n));
    return hn::GetLane(hn::MaxOfLanes(d, largest));
  }

  int exponent_;
  bool subnormal_;
};

/// The largest |product|. Any number or NaN if there are NaNs.
template <class Term>
HWY_INLINE double largest_product(const double* a, const double* b, std::size_t n) {
  const hn::ScalableTag<double> d;
  auto largest = hn::Zero(d);
  const auto update = [&](auto of) HWY_ATTR { largest = hn::Max(largest, hn::Abs(hn::Mul(of.x, of.y))); };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    update(load_factors<Term, true>(d, a + i, b + i, 0, hn::Lanes(d)));
  }
  if (i < n) update(load_factors<Term, false>(d, a, b, i, n));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

/// Products of some pairs of elements spread over the vectors.
struct product_sample {
  static constexpr int of_zero = -4096;
  int lowest = 4096, highest = of_zero;  ///< exponents, wrong by up to 2
  bool moderate = true;                  ///< the nonzero factors lie in the middle of the range of doubles
};

template <class Term, std::size_t count, class T>
HWY_INLINE product_sample sample_products(const T* a, const T* b, std::size_t n) {
  constexpr int stored = core::format<T>::precision, bias = core::format<T>::highest_exponent - 2;
  const std::size_t stride = n / count | 1;
  product_sample found;
  for (std::size_t i = 0; i < n; i += stride) {
    const auto x = size_at(a + i), y = Term::inputs == 2 ? size_at(b + i) : x;
    if (x == 0 || y == 0) {
      found.lowest = product_sample::of_zero;
      continue;
    }
    const int of_x = static_cast<int>(x >> stored) - bias;
    const int of_y = Term::factors == 2 ? static_cast<int>(y >> stored) - bias : 1;
    found.lowest = std::min(found.lowest, of_x + of_y), found.highest = std::max(found.highest, of_x + of_y);
    found.moderate = found.moderate && std::abs(of_x) < 240 && std::abs(of_y) < 240;
  }
  return found;
}

/// The least e with x < 2^e, of a normal number; large for infinities.
HWY_INLINE int exponent_above(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1022; }

/// The largest error of one unscaled addend by underflow.
template <class Term, class T>
constexpr double underflow_of = core::streams_of<Term, T> == 2 ? 0x1p-1000 : 0;

/// Calls step(e) with 2^e above all products as estimated from a sample. If that returns false, calls it again with
/// an e found from all elements. False if the second call fails too, or products may leave the range of normal
/// doubles. NaNs are detected later.
template <class Term, class Step>
HWY_INLINE bool with_exponent_of_products(const double* a, const double* b, std::size_t n, Step step) {
  constexpr int alike = 24, margin = 10;
  const product_sample sample = sample_products<Term, 8>(a, b, n);
  if (!sample.moderate) return false;
  const bool are_alike = sample.lowest > product_sample::of_zero && sample.highest - sample.lowest <= alike;
  if (are_alike && step(sample.highest + margin)) return true;
  const int exponent = exponent_above(largest_product<Term>(a, b, n));
  return exponent > -480 && exponent < 450 && step(exponent + exponent_margin);
}

/// Elements of a block that is scaled.
constexpr std::size_t scaled_block = 1024;

/// result = the sum of all products, in units of a power of two: calls add(a, b, count, exponent, error, result)
/// for blocks of scaled elements whose products are below 2^exponent, and were changed by at most `error` each.
/// False if the data does not suit it.
template <class Term, class Sum, class Add>
bool add_scaled_blocks(const double* a, const double* b, std::size_t n, Sum& result, Add add) {
  const vector_scale scale_a(a, n), scale_b(b, n);
  constexpr int factors = Term::factors;
  result = {};
  result.exponent = -(factors == 2 ? scale_a.exponent() + scale_b.exponent() : scale_a.exponent());
  HWY_ALIGN double x[scaled_block + hn::MaxLanes(hn::ScalableTag<double>())];
  HWY_ALIGN double other[Term::inputs == 2 ? std::size(x) : 1];
  const double* const y = Term::inputs == 2 ? other : x;
  for (std::size_t i = 0; i < n; i += scaled_block) {
    const std::size_t count = std::min(n - i, scaled_block);
    double largest = scale_a.copy(a + i, count, x);
    if constexpr (Term::inputs == 2) largest = std::max(largest, scale_b.copy(b + i, count, other));
    const double product = largest_product<Term>(x, y, count);
    const double error = power_of_two(lowest_scaled) * (factors == 2 ? largest : 1) + 0x1p-1000;
    const bool in_range = product == 0 || (product > 0x1p-400 && product < 0x1p450);
    // a NaN among products that are all zero: `add` detects it
    const int exponent = product == 0 ? -400 : exponent_above(product);
    if (!in_range || !(largest < HUGE_VAL) || !add(x, y, count, exponent, error, result)) return false;
  }
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
