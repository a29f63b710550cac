// Exponents of a vector's elements, and multiplication by powers of two, with integer operations.
//
// Floating-point arithmetic on subnormals costs a hundred cycles or more on common processors; here it costs what
// everything costs.
#if defined(EXACTDOT_CPU_MEASURE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_MEASURE_INL_H_
#undef EXACTDOT_CPU_MEASURE_INL_H_
#else
#define EXACTDOT_CPU_MEASURE_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <core/rounding.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// floor(log2 |x|) of a nonzero finite |x| given by its bits, subnormals included.
template <class T>
HWY_INLINE int floor_log2(std::uint64_t bits) {
  using row = core::traits<T>;
  const int field = static_cast<int>(bits >> (row::precision - 1));
  if (field == 0) return row::lowest_exponent + 63 - core::leading_zeros(bits);
  return field + row::lowest_exponent + row::precision - 2;
}

/// The exponents of the nonzero elements: all |x| in [2^lowest, 2^highest).
struct exponent_range {
  bool finite = true;
  bool zero = true;  // no nonzero element
  int lowest = 0;
  int highest = 0;
};

/// Cost: 2 operations a vector; 5 if the lowest exponent is wanted too.
template <class T, bool both_ends>
exponent_range measure(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using integer = hn::TFromD<decltype(di)>;
  const auto huge = hn::Set(di, std::numeric_limits<integer>::max());
  auto largest = hn::Zero(di), smallest = huge;
  const auto look = [&](auto v) HWY_ATTR {
    const auto size = hn::BitCast(di, hn::Abs(v));
    largest = hn::Max(largest, size);
    if constexpr (both_ends) smallest = hn::Min(smallest, hn::IfThenElse(hn::Eq(size, hn::Zero(di)), huge, size));
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) look(hn::LoadU(d, x + i));
  if (i < n) look(load_part<false>(d, x, i, n));
  const auto top = static_cast<std::uint64_t>(hn::GetLane(hn::MaxOfLanes(di, largest)));
  const auto bottom = static_cast<std::uint64_t>(hn::GetLane(hn::MinOfLanes(di, smallest)));
  exponent_range range;
  range.finite = top < std::bit_cast<typename core::traits<T>::bits>(core::infinity<T>(false));
  range.zero = top == 0;
  if (range.finite && !range.zero) {
    if constexpr (both_ends) range.lowest = floor_log2<T>(bottom);
    range.highest = floor_log2<T>(top) + 1;
  }
  return range;
}

/// x -> x·2^-highest for doubles below 2^highest, which brings them below 1; what would fall below 2^-400 becomes
/// 0. If `small`, highest < -600 and subnormals count; else they are among what becomes 0.
template <bool small>
class rescaling {
 public:
  using tag = hn::ScalableTag<double>;
  using integer_tag = hn::RebindToSigned<tag>;

  HWY_INLINE explicit rescaling(int highest)
      : shift_(hn::Set(integer_tag(), static_cast<std::int64_t>(-highest) * hidden_bit)),
        smallest_(hn::Set(integer_tag(), std::max<std::int64_t>(1, highest - 400 + 1023) * hidden_bit)),
        unit_(hn::Set(tag(), small ? power_of_two(-highest - 1074) : 0)) {}

  HWY_INLINE vec<tag> operator()(vec<tag> x) const {
    const tag d;
    const integer_tag di;
    const auto size = hn::BitCast(di, hn::Abs(x));
    auto scaled = hn::Add(size, shift_);
    const auto tiny = hn::Gt(smallest_, size);
    if constexpr (small) {
      // A subnormal is an integer in units of 2^-1074; under the exponent of 2^52 it becomes one that is normal.
      const auto two_to_52 = hn::Set(d, 0x1p52);
      const auto significand = hn::Sub(hn::BitCast(d, hn::Or(size, hn::BitCast(di, two_to_52))), two_to_52);
      scaled = hn::IfThenElse(tiny, hn::BitCast(di, hn::Mul(significand, unit_)), scaled);
    } else {
      scaled = hn::IfThenZeroElse(tiny, scaled);
    }
    return hn::CopySignToAbs(hn::BitCast(d, scaled), x);
  }

 private:
  static constexpr std::int64_t hidden_bit = std::int64_t{1} << 52;

  vec<integer_tag> shift_, smallest_;
  vec<tag> unit_;
};

/// Calls use(scale_a, scale_b) with the rescalings of data below 2^highest_a and 2^highest_b.
template <class Use>
HWY_INLINE bool with_rescaling(int highest_a, int highest_b, Use use) {
  const auto with_b = [&](const auto& scale_a) HWY_ATTR {
    return highest_b < -600 ? use(scale_a, rescaling<true>(highest_b)) : use(scale_a, rescaling<false>(highest_b));
  };
  return highest_a < -600 ? with_b(rescaling<true>(highest_a)) : with_b(rescaling<false>(highest_a));
}

/// The scale of data in range.
struct unscaled {
  template <class V>
  HWY_INLINE V operator()(V x) const {
    return x;
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
