// Narrow elements as the carriers that hold them, with the conversions of the instruction set. All are exact, in any
// floating-point environment: float16 by vcvtph2ps, bfloat16 by a shift, 8-bit floats by way of float16, integers by
// conversions that never round.
//
// Cost: one to four instructions per register of carriers, of 8-bit floats up to ten.
#if defined(EXACTDOT_CPU_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_WIDEN_INL_H_
#undef EXACTDOT_CPU_WIDEN_INL_H_
#else
#define EXACTDOT_CPU_WIDEN_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <exactdot/core/carrier.hpp>
#include <limits>
#include <plan/staging.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Floats from the bits of float16s.
template <class D>
HWY_INLINE vec<D> float16_promoted(D d, vec<hn::Rebind<std::int16_t, D>> x) {
  // a signaling NaN becomes a quiet one first: the conversion would raise an exception
  const hn::Rebind<std::int16_t, D> bits;
  const auto is_nan = hn::Gt(hn::And(x, hn::Set(bits, 0x7fff)), hn::Set(bits, 0x7c00));
  const auto quiet = hn::Or(x, hn::And(hn::VecFromMask(bits, is_nan), hn::Set(bits, 0x200)));
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), quiet));
}

/// The bits of float16s from those of 8-bit floats. float8_e5m2 is the upper half of a float16. A float8_e4m3fn is 2^8
/// times the float16 with its bits 7 places further up, but for NaN.
template <class Element, class Bits>
HWY_INLINE vec<Bits> float16_bits(Bits d, const void* from) {
  const auto x = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, Bits>(), static_cast<const std::uint8_t*>(from)));
  if constexpr (type_of<Element> == element_type::float8_e5m2) return hn::ShiftLeft<8>(x);
  const auto magnitude = hn::And(x, hn::Set(d, 0x7f)), sign = hn::ShiftLeft<8>(hn::Sub(x, magnitude));
  const auto nan = hn::And(hn::VecFromMask(d, hn::Eq(magnitude, hn::Set(d, 0x7f))), hn::Set(d, 0x7e00));
  return hn::Or(hn::Or(hn::ShiftLeft<7>(magnitude), nan), sign);
}

/// A register of carriers from neighbouring elements, at any alignment.
template <class Element, class D>
HWY_INLINE vec<D> widened(D d, const void* from) {
  const hn::Rebind<std::int32_t, D> words;
  if constexpr (type_of<Element> == element_type::float16) {
    const hn::Rebind<std::int16_t, D> bits;
    return float16_promoted(d, hn::LoadU(bits, static_cast<const std::int16_t*>(from)));
  } else if constexpr (floating_element<Element> && sizeof(Element) == 1) {
    const auto x = float16_promoted(d, float16_bits<Element>(hn::Rebind<std::int16_t, D>(), from));
    return type_of<Element> == element_type::float8_e4m3fn ? hn::Mul(x, hn::Set(d, 256.0F)) : x;
  } else if constexpr (type_of<Element> == element_type::bfloat16) {
    const hn::RebindToUnsigned<D> bits;
    const auto upper = hn::LoadU(hn::Rebind<std::uint16_t, D>(), static_cast<const std::uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, upper)));
  } else if constexpr (std::is_same_v<Element, std::uint32_t>) {
    const auto lowest = hn::Set(words, std::numeric_limits<std::int32_t>::min());
    const auto x = hn::LoadU(words, static_cast<const std::int32_t*>(from));
    // Abs: where addition rounds down, the sum for 0 is -0
    return hn::Abs(hn::Add(hn::PromoteTo(d, hn::Xor(x, lowest)), hn::Set(d, 0x1p31)));
  } else if constexpr (std::is_same_v<Element, std::int32_t>) {
    return hn::PromoteTo(d, hn::LoadU(words, static_cast<const std::int32_t*>(from)));
  } else {
    static_assert(std::is_integral_v<Element> && sizeof(Element) <= 2);
    const auto x = hn::LoadU(hn::Rebind<Element, D>(), static_cast<const Element*>(from));
    return hn::ConvertTo(d, hn::PromoteTo(words, x));
  }
}

template <class Element>
void widen(const void* from, std::size_t n, void* to) {
  using carrier = core::carrier_for<Element>;
  const hn::ScalableTag<carrier> d;
  const auto* const x = static_cast<const char*>(from);
  auto* const result = static_cast<carrier*>(to);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(widened<Element>(d, x + i * sizeof(Element)), d, result + i);
  }
  if (i == n) return;
  HWY_ALIGN char rest[hn::MaxLanes(hn::ScalableTag<carrier>()) * sizeof(Element)] = {};
  HWY_ALIGN carrier lanes[hn::MaxLanes(hn::ScalableTag<carrier>())];
  std::memcpy(rest, x + i * sizeof(Element), (n - i) * sizeof(Element));
  hn::Store(widened<Element>(d, rest), d, lanes);
  std::memcpy(result + i, lanes, (n - i) * sizeof(carrier));
}

/// The conversion of an element type to its carrier; null for carriers, for 64-bit integers, which have two parts,
/// and where vectors are emulated.
template <class Element>
constexpr engine::widening widening_of() {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return nullptr;
#else
  if constexpr (is_carrier(type_of<Element>) || core::parts_of(type_of<Element>) == 2) {
    return nullptr;
  } else {
    return widen<Element>;
  }
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
