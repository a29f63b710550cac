// Exponents of elements and of products, and scaling by powers of two, with integer operations: floating-point
// arithmetic on subnormals costs a hundred cycles or more on common processors, these operations do not.
#if defined(EXACTDOT_CPU_EXPONENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXPONENTS_INL_H_
#undef EXACTDOT_CPU_EXPONENTS_INL_H_
#else
#define EXACTDOT_CPU_EXPONENTS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <exactdot/core/rounding.hpp>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// floor(log2 |x|) of a nonzero finite |x| given by its bits, subnormals included.
template <class T>
HWY_INLINE int floor_log2(std::uint64_t bits) {
  using format = core::format<T>;
  const int field = static_cast<int>(bits >> (format::precision - 1));
  if (field == 0) return format::lowest_exponent + 63 - core::leading_zeros(bits);
  return field + format::lowest_exponent + format::precision - 2;
}

/// An interval of exponents: all nonzero |x| in [2^lowest, 2^highest). For products, 2^lowest is at most the
/// product of the largest powers of two below the factors.
struct exponent_range {
  bool finite = true;
  bool zero = true;  // no nonzero element
  int lowest = 0;
  int highest = 0;
};

/// The exponents of the nonzero elements. Cost: 5 operations per vector.
template <class T>
exponent_range exponent_range_of(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using integer = hn::TFromD<decltype(di)>;
  const auto huge = hn::Set(di, std::numeric_limits<integer>::max());
  auto largest = hn::Zero(di), smallest = huge;
  const auto update = [&](auto v) HWY_ATTR {
    const auto size = hn::BitCast(di, hn::Abs(v));
    largest = hn::Max(largest, size);
    smallest = hn::Min(smallest, hn::IfThenElse(hn::Eq(size, hn::Zero(di)), huge, size));
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) update(hn::LoadU(d, x + i));
  if (i < n) update(load_part<false>(d, x, i, n));
  const auto top = static_cast<std::uint64_t>(hn::GetLane(hn::MaxOfLanes(di, largest)));
  const auto bottom = static_cast<std::uint64_t>(hn::GetLane(hn::MinOfLanes(di, smallest)));
  exponent_range range;
  range.finite = top < core::bit_cast<typename core::format<T>::bits>(core::infinity<T>(false));
  range.zero = top == 0;
  if (range.finite && !range.zero) {
    range.lowest = floor_log2<T>(bottom);
    range.highest = floor_log2<T>(top) + 1;
  }
  return range;
}

// split_doubles: a vector of doubles as significands in ±[1, 2) and exponents, subnormals included. The exponent of
// a zero is far below all others, so that products with it become 0. finite_check detects infinities and NaNs,
// which cannot be split.
#if HWY_TARGET == HWY_AVX3

/// By VGETMANT and VGETEXP, which take subnormals at full speed: 2 operations.
struct split_doubles {
  using tag = hn::ScalableTag<double>;
  using exponent_tag = tag;
  static constexpr int bias = 0;

  vec<tag> significand;
  vec<exponent_tag> exponent;

  HWY_INLINE explicit split_doubles(vec<tag> x)
      : significand{_mm512_getmant_pd(x.raw, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src)},
        exponent{_mm512_getexp_pd(x.raw)} {}

  /// x · 2^power where power >= lowest, else 0.
  static HWY_INLINE vec<tag> scaled(vec<tag> x, vec<exponent_tag> power, int lowest) {
    const auto keep = hn::Ge(power, hn::Set(tag(), lowest));
    return {_mm512_maskz_scalef_pd(keep.raw, x.raw, power.raw)};
  }
};

/// The exponent of an infinity is infinite and that of a NaN is NaN, and so are sums with them.
class finite_check {
  using tag = split_doubles::tag;
  hn::Mask<tag> finite_;

 public:
  HWY_INLINE finite_check() : finite_(hn::FirstN(tag(), hn::Lanes(tag()))) {}
  HWY_INLINE void update(const split_doubles& x, const split_doubles& y) {
    finite_ = hn::And(finite_, hn::Lt(hn::Add(x.exponent, y.exponent), hn::Set(tag(), HUGE_VAL)));
  }
  HWY_INLINE bool passed() const { return hn::AllTrue(tag(), finite_); }
};

#else

/// By integer operations: 6, and 8 more for a vector with subnormals or zeros.
struct split_doubles {
  using tag = hn::ScalableTag<double>;
  using exponent_tag = hn::RebindToSigned<tag>;
  static constexpr std::int64_t hidden_bit = std::int64_t{1} << 52;
  static constexpr int bias = 1023;  // of the exponents as they stand here

  vec<tag> significand;
  vec<exponent_tag> exponent;
  vec<exponent_tag> size;  // the bits of |x|

  HWY_INLINE explicit split_doubles(vec<tag> x) {
    const tag d;
    const exponent_tag di;
    size = hn::BitCast(di, hn::Abs(x));
    exponent = hn::ShiftRight<52>(size);
    const auto tiny = hn::Gt(hn::Set(di, hidden_bit), size);
    if (!hn::AllFalse(di, tiny)) {
      // A subnormal is an integer in units of 2^-1074; under the exponent of 2^52 it becomes one that is normal.
      const auto two_to_52 = hn::Set(d, 0x1p52);
      const auto integer = hn::Sub(hn::BitCast(d, hn::Or(size, hn::BitCast(di, two_to_52))), two_to_52);
      const auto zero = hn::Set(di, -(std::int64_t{1} << 20));
      const auto unit = hn::IfThenElse(hn::Eq(size, hn::Zero(di)), zero, hn::Set(di, -1074));
      exponent = hn::IfThenElse(tiny, hn::Add(hn::ShiftRight<52>(hn::BitCast(di, integer)), unit), exponent);
      x = hn::IfThenElse(hn::RebindMask(d, tiny), hn::CopySignToAbs(integer, x), x);
    }
    const auto sign_and_mantissa = hn::Set(di, std::numeric_limits<std::int64_t>::min() | (hidden_bit - 1));
    const auto one = hn::BitCast(di, hn::Set(d, 1.0));
    significand = hn::BitCast(d, hn::Or(hn::And(hn::BitCast(di, x), sign_and_mantissa), one));
  }

  /// x · 2^power where power >= lowest, else 0.
  static HWY_INLINE vec<tag> scaled(vec<tag> x, vec<exponent_tag> power, int lowest) {
    const exponent_tag di;
    const auto moved = hn::Add(hn::BitCast(di, x), hn::ShiftLeft<52>(power));
    return hn::BitCast(tag(), hn::IfThenZeroElse(hn::Gt(hn::Set(di, lowest), power), moved));
  }
};

class finite_check {
  using tag = split_doubles::exponent_tag;
  vec<tag> largest_;

 public:
  HWY_INLINE finite_check() : largest_(hn::Zero(tag())) {}
  HWY_INLINE void update(const split_doubles& x, const split_doubles& y) {
    largest_ = hn::Max(largest_, hn::Max(x.size, y.size));
  }
  HWY_INLINE bool passed() const {
    return hn::GetLane(hn::MaxOfLanes(tag(), largest_)) < core::bit_cast<std::int64_t>(HUGE_VAL);
  }
};

#endif

/// The exponents of the nonzero addends of a term, as if products could neither over- nor underflow. `lowest` is
/// valid only if `both_ends`.
template <class Term, bool both_ends>
HWY_INLINE exponent_range product_exponents(const double* a, const double* b, std::size_t n) {
  const split_doubles::tag d;
  const split_doubles::exponent_tag de;
  constexpr int none = 1 << 19;
  auto largest = hn::Set(de, -none), smallest = hn::Set(de, none);
  finite_check finite;
  const auto update = [&](auto x, auto y) HWY_ATTR {
    const split_doubles left(x), right(y);
    finite.update(left, right);
    const auto exponent = hn::Add(left.exponent, right.exponent);
    largest = hn::Max(largest, exponent);
    if constexpr (both_ends) {
      const auto is_zero = hn::Gt(hn::Set(de, -none), exponent);
      smallest = hn::Min(smallest, hn::IfThenElse(is_zero, hn::Set(de, none), exponent));
    }
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto of = load_factors<Term, true>(d, a + i, b + i, 0, hn::Lanes(d));
    update(of.x, of.y);
  }
  if (i < n) {
    const auto of = load_factors<Term, false>(d, a, b, i, n);
    update(of.x, of.y);
  }
  exponent_range range;
  range.finite = finite.passed();
  if (!range.finite) return range;
  const int top = static_cast<int>(hn::GetLane(hn::MaxOfLanes(de, largest)));
  range.zero = top == -none;
  range.lowest = static_cast<int>(hn::GetLane(hn::MinOfLanes(de, smallest))) - 2 * split_doubles::bias;
  range.highest = top - 2 * split_doubles::bias + 2;
  return range;
}

/// The same for floats, whose products are normal doubles.
template <class Term, bool>
HWY_INLINE exponent_range product_exponents(const float* a, const float* b, std::size_t n) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto huge = hn::Set(di, std::numeric_limits<std::int64_t>::max());
  auto largest = hn::Zero(di), smallest = huge;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto of = load_promoted_factors<Term, false>(a, b, i, n);
    const auto product = hn::Mul(of.x, of.y);
    const auto size = hn::BitCast(di, hn::Abs(product));
    largest = hn::Max(largest, size);
    smallest = hn::Min(smallest, hn::IfThenElse(hn::Eq(size, hn::Zero(di)), huge, size));
  }
  const auto exponent = [](std::int64_t bits) { return static_cast<int>(bits >> 52) - 1023; };
  const std::int64_t top = hn::GetLane(hn::MaxOfLanes(di, largest));
  exponent_range range;
  range.zero = top == 0;
  range.finite = top < core::bit_cast<std::int64_t>(HUGE_VAL);
  // A product may have one exponent more than its factors' exponents make, and its low bit follows those.
  range.lowest = exponent(hn::GetLane(hn::MinOfLanes(di, smallest))) - 1;
  range.highest = exponent(top) + 1;
  return range;
}

/// Writes factors whose products are 2^-highest times those of a and b, which are below 2^highest. Products below
/// 2^(highest - 400) become 0.
template <class Term>
void scale_products(const double* a, const double* b, std::size_t n, int highest, double* left, double* right) {
  const split_doubles::tag d;
  const auto top = hn::Set(split_doubles::exponent_tag(), highest + 2 * split_doubles::bias);
  const auto store = [&](auto of, std::size_t i) HWY_ATTR {
    const split_doubles x(of.x), y(of.y);
    const auto exponent = hn::Sub(hn::Add(x.exponent, y.exponent), top);
    hn::StoreU(split_doubles::scaled(x.significand, exponent, -400), d, left + i);
    hn::StoreU(y.significand, d, right + i);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    store(load_factors<Term, true>(d, a + i, b + i, 0, hn::Lanes(d)), i);
  }
  if (i < n) store(load_factors<Term, false>(d, a, b, i, n), i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
