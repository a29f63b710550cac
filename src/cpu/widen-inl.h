// Narrow elements as the carriers that hold them, with the conversions of the instruction set. All are exact, in any
// floating-point environment: 16-bit floats by vcvtph2ps or a shift, integers by conversions that never round.
//
// Cost: one to four instructions per register of carriers.
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

/// A register of carriers from neighbouring elements, at any alignment.
template <class Element, class D>
HWY_INLINE vec<D> widened(D d, const void* from) {
  const hn::Rebind<std::int32_t, D> words;
  if constexpr (type_of<Element> == element_type::float16) {
    // a signaling NaN becomes a quiet one first: the conversion would raise an exception
    const hn::Rebind<std::int16_t, D> bits;
    const auto x = hn::LoadU(bits, static_cast<const std::int16_t*>(from));
    const auto is_nan = hn::Gt(hn::And(x, hn::Set(bits, 0x7fff)), hn::Set(bits, 0x7c00));
    const auto quiet = hn::Or(x, hn::And(hn::VecFromMask(bits, is_nan), hn::Set(bits, 0x200)));
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), quiet));
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
