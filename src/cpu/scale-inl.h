// Factors of doubles as kernels load them: as they stand, or scaled by a power of two per vector where products
// leave the range of doubles; and magnitudes of products, by samples or over a block.
//
// The powers follow from a sample, so that a pass over the elements is saved; a wrong guess shows in infinite or
// tiny products. Elements that would become so small that a product could be subnormal are dropped, and subnormals
// are converted from their bits: on common processors each multiplication of a subnormal costs a hundred cycles.
// Cost of scaling: 5 operations per register, 9 if one of the vectors is subnormal; no copy.
#if defined(EXACTDOT_CPU_SCALE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_SCALE_INL_H_
#undef EXACTDOT_CPU_SCALE_INL_H_
#else
#define EXACTDOT_CPU_SCALE_INL_H_
#endif

#include <cpu/exponents-inl.h>
#include <cpu/simd-inl.h>

#include <exactdot/core/term.hpp>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// *x at any alignment.
template <class T>
HWY_INLINE T value_at(const T* x) {
  T value;
  std::memcpy(&value, x, sizeof value);
  return value;
}

/// The bits of |x| at any alignment, shifted left by one.
template <class T>
HWY_INLINE auto size_at(const T* x) {
  using bits = typename core::format<T>::bits;
  return static_cast<bits>(core::bit_cast<bits>(value_at(x)) << 1);
}

/// The largest error of one unscaled addend by underflow.
template <class Term, class T>
constexpr double underflow_of = core::streams_of<Term, T> == 2 ? 0x1p-1000 : 0;

/// The factors of neighbouring elements, as doubles. With whole = false only those before `end` exist; the others
/// are +0.
template <class Term, class T>
class plain_load {
 public:
  HWY_INLINE plain_load(const T* a, const T* b) : a_(a), b_(b) {}

  template <bool whole>
  HWY_INLINE factors<vec<hn::ScalableTag<double>>> get(std::size_t first, std::size_t end) {
    if constexpr (std::is_same_v<T, double>) {
      return load_factors<Term, whole>(hn::ScalableTag<double>(), a_, b_, first, end);
    } else {
      return load_promoted_factors<Term, whole>(a_, b_, first, end);
    }
  }
  template <std::size_t distance>
  HWY_INLINE void prefetch(std::size_t first, std::size_t count) const {
    prefetch_ahead<distance>(a_ + first, count);
    if constexpr (Term::inputs == 2) prefetch_ahead<distance>(b_ + first, count);
  }
  /// By how much underflow changed an addend that was loaded, at most. Infinite if this kind of load does not suit
  /// the data.
  HWY_INLINE double error() const { return underflow_of<Term, T>; }

 private:
  const T *a_, *b_;
};

/// Scaled elements below this are dropped: products of the others are normal.
constexpr int lowest_scaled = -511;
/// A scaled element may have this exponent, and a sampled one is so far below it.
constexpr int highest_scaled = 200, sample_margin = 250;

/// An exponent of addends that a first look at them has to tell.
constexpr int unknown_exponent = -4096;

/// Sums calculate with products below 2^e for e in this range: the products' errors and their squares are normal.
constexpr int lowest_sum_exponent = -480, highest_sum_exponent = 449;

/// The power of two that scales one vector, and what it takes: (|x| | hidden) - hidden is |x| of a normal number
/// and |x|·2^1074 of a subnormal one, without arithmetic on subnormals.
struct vector_scaling {
  double hidden = 0, threshold = 0, factor = 1;
  int exponent = 1074;  // 2^exponent times the elements; even

  /// Follows from 32 elements spread over x.
  HWY_INLINE vector_scaling(const double* x, std::size_t n) {
    const std::size_t stride = n / 32 | 1;  // odd, for data with a period of two
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < n; i += stride) largest = std::max(largest, size_at(x + i));
    const int sample = static_cast<int>(largest >> 53) - 1022;
    if (sample <= -1022) {  // zero or subnormal
      hidden = 0x1p52;
      return;
    }
    exponent = (highest_scaled - std::min(1023, sample + sample_margin)) & ~1;
    factor = power_of_two(exponent);
    // where the threshold would be subnormal nothing is dropped
    const int lowest = lowest_scaled - exponent;
    threshold = lowest >= -1022 ? power_of_two(lowest) : 0;
  }
  [[nodiscard]] bool of_subnormals() const { return hidden != 0; }
  /// An upper bound on the magnitude of scaled elements of up to `size`. Infinite if the sample was misleading.
  [[nodiscard]] double scaled(double size) const {
    if (!of_subnormals()) return size * factor;
    return size < 0x1p-1022 ? static_cast<double>(std::bit_cast<std::uint64_t>(size)) : HUGE_VAL;
  }
};

/// Scales one vector's registers. Without `subnormals`, of a vector whose sample is normal.
template <bool subnormals>
class register_scaling {
  using tag = hn::ScalableTag<double>;
  vec<tag> hidden_, threshold_, factor_, largest_;

 public:
  HWY_INLINE explicit register_scaling(const vector_scaling& by)
      : hidden_(hn::Set(tag(), by.hidden)),
        threshold_(hn::Set(tag(), by.threshold)),
        factor_(hn::Set(tag(), by.factor)),
        largest_(hn::Zero(tag())) {}

  HWY_INLINE vec<tag> scaled(vec<tag> x) {
    const auto size = hn::Abs(x);
    largest_ = hn::Max(largest_, size);
    if constexpr (!subnormals) return hn::Mul(hn::IfThenZeroElse(hn::Lt(size, threshold_), x), factor_);
    const auto number = hn::Sub(hn::Or(size, hidden_), hidden_);
    return hn::CopySignToAbs(hn::Mul(hn::IfThenZeroElse(hn::Lt(number, threshold_), number), factor_), x);
  }
  /// The largest magnitude so far, unscaled. Any number or NaN if there were NaNs.
  HWY_INLINE double largest() const { return hn::GetLane(hn::MaxOfLanes(tag(), largest_)); }
};

/// The scalings of both factors.
template <class Term>
struct product_scaling {
  vector_scaling a, b;

  HWY_INLINE product_scaling(const double* x, const double* y, std::size_t n)
      : a(x, n), b(Term::inputs == 2 ? vector_scaling(y, n) : a) {}
  [[nodiscard]] bool of_subnormals() const { return a.of_subnormals() || b.of_subnormals(); }
  /// Addends are in units of 2^unit().
  [[nodiscard]] int unit() const { return -a.exponent - (Term::factors == 2 ? b.exponent : 0); }
};

/// The same as plain_load with scaled factors.
template <class Term, bool subnormals>
class scaled_load {
  using tag = hn::ScalableTag<double>;

 public:
  HWY_INLINE scaled_load(const double* a, const double* b, const product_scaling<Term>& by)
      : a_(a), b_(b), by_(by), scale_a_(by.a), scale_b_(by.b) {}

  template <bool whole>
  HWY_INLINE factors<vec<tag>> get(std::size_t first, std::size_t end) {
    const tag d;
    const auto x = scale_a_.scaled(load_part<whole>(d, a_, first, end));
    return factors_of<Term>(d, x, Term::inputs == 2 ? scale_b_.scaled(load_part<whole>(d, b_, first, end)) : x);
  }
  template <std::size_t distance>
  HWY_INLINE void prefetch(std::size_t first, std::size_t count) const {
    plain_load<Term, double>(a_, b_).template prefetch<distance>(first, count);
  }
  HWY_INLINE double error() const {
    const double x = by_.a.scaled(scale_a_.largest());
    const double y = Term::inputs == 2 ? by_.b.scaled(scale_b_.largest()) : x;
    if (!(x < HUGE_VAL && y < HUGE_VAL)) return HUGE_VAL;
    return power_of_two(lowest_scaled) * (Term::factors == 2 ? std::max(x, y) : 1) + 0x1p-1000;
  }

 private:
  const double *a_, *b_;
  product_scaling<Term> by_;
  register_scaling<subnormals> scale_a_, scale_b_;
};

/// Each lane's largest |addend| of elements first … end - 1 and of `largest`. Any number or NaN if there are NaNs.
template <class Load>
HWY_INLINE vec<hn::ScalableTag<double>> largest_addends(Load& load, std::size_t first, std::size_t end,
                                                        vec<hn::ScalableTag<double>> largest) {
  const hn::ScalableTag<double> d;
  const auto update = [&](auto of) HWY_ATTR { largest = hn::Max(largest, hn::Abs(hn::Mul(of.x, of.y))); };
  std::size_t i = first;
  for (; i + hn::Lanes(d) <= end; i += hn::Lanes(d)) update(load.template get<true>(i, end));
  if (i < end) update(load.template get<false>(i, end));
  return largest;
}

/// The largest of all.
template <class Load>
HWY_INLINE double largest_addend(Load& load, std::size_t first, std::size_t end) {
  const hn::ScalableTag<double> d;
  return hn::GetLane(hn::MaxOfLanes(d, largest_addends(load, first, end, hn::Zero(d))));
}

/// How far products that are alike may lie apart, and others above those of a sample, in exponents.
constexpr int alike = 24, sampling_margin = 10;

/// An exponent above the scaled products, by a sample of them, if they are alike; else unknown_exponent.
template <class Term>
HWY_INLINE int exponent_by_sample(const double* a, const double* b, std::size_t n,
                                  const product_scaling<Term>& by) {
  double lowest = HUGE_VAL, highest = 0;
  const std::size_t stride = n / 8 | 1;
  for (std::size_t i = 0; i < n; i += stride) {
    const double x = by.a.scaled(std::abs(value_at(a + i)));
    const double product =
        Term::factors == 1 ? x : x * by.b.scaled(std::abs(value_at(Term::inputs == 2 ? b + i : a + i)));
    lowest = std::min(lowest, product), highest = std::max(highest, product);
  }
  const int exponent = exponent_above(highest) + sampling_margin;
  const bool is_known = lowest > 0 && highest * power_of_two(-alike) <= lowest && exponent > lowest_sum_exponent &&
                        exponent <= highest_sum_exponent;
  return is_known ? exponent : unknown_exponent;
}

/// Products of some pairs of elements spread over the vectors.
struct product_sample {
  static constexpr int of_zero = -4096;
  int lowest = 4096, highest = of_zero;  ///< exponents, wrong by up to 2
  bool moderate = true;                  ///< the nonzero factors lie in the middle of the range of doubles
};

template <class Term, class T>
HWY_INLINE product_sample sample_products(const T* a, const T* b, std::size_t n, std::size_t count) {
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
