// The least or greatest element and its lowest index.
//
// Blocks: a loop finds the least key; only a block that improves the result is read again, for the index, which in
// unordered data ln b + 1 of b blocks do. Cost per register: a minimum, of integers 1 operation more, of
// floating-point numbers 6.
#if defined(EXACTDOT_CPU_EXTREMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXTREMUM_INL_H_
#undef EXACTDOT_CPU_EXTREMUM_INL_H_
#else
#define EXACTDOT_CPU_EXTREMUM_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <exactdot/core/extremum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t extremum_block_bytes = 8192;

/// core::ordered_key of elements, at any alignment.
template <class T, bool greatest>
class element_keys {
 public:
  using word = typename detail::unsigned_of<sizeof(T)>::type;
  using tag = hn::ScalableTag<word>;
  using v = hn::Vec<tag>;

  HWY_INLINE explicit element_keys(const char* x) : x_(x) {}

  HWY_INLINE word scalar(std::size_t i) const {
    word bits;
    std::memcpy(&bits, x_ + i * sizeof(T), sizeof bits);
    return core::ordered_key<T, greatest>(bits);
  }
  HWY_INLINE v vector(std::size_t i) const {
    const tag d;
    const v bits = hn::LoadU(d, reinterpret_cast<const word*>(x_ + i * sizeof(T)));
    constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1)), all = static_cast<word>(~word{0});
    if constexpr (integer_element<T>) {
      constexpr word flip = static_cast<word>((detail::has_sign<T> ? sign : word{0}) ^ (greatest ? all : word{0}));
      return hn::Xor(bits, hn::Set(d, flip));
    } else {
      // a positive number's sign is inverted, a negative one's every bit
      const hn::RebindToSigned<tag> ds;
      using signed_word = hn::TFromD<decltype(ds)>;
      const v negative = hn::BitCast(d, hn::ShiftRight<8 * sizeof(T) - 1>(hn::BitCast(ds, bits)));
      const v ascending = hn::Xor(bits, hn::Or(negative, hn::Set(d, sign)));
      const v key = greatest ? hn::Xor(ascending, hn::Set(d, all)) : ascending;
      constexpr auto infinite = static_cast<signed_word>(core::infinity_word(core::format<T>::number, false));
      const auto magnitude = hn::BitCast(ds, hn::And(bits, hn::Set(d, static_cast<word>(~sign))));
      const auto is_nan = hn::VecFromMask(ds, hn::Gt(magnitude, hn::Set(ds, infinite)));
      return hn::AndNot(hn::BitCast(d, is_nan), key);
    }
  }

 private:
  const char* x_;
};

/// The least key of elements first … end - 1, which are not none.
template <class Keys>
HWY_INLINE typename Keys::word least_key(const Keys& keys, std::size_t first, std::size_t end) {
  using word = typename Keys::word;
  const typename Keys::tag d;
  const std::size_t width = hn::Lanes(d);
  word least = static_cast<word>(~word{0});
  std::size_t i = first;
  if (end - first >= width) {
    constexpr int chains = 4;
    auto a = hn::Set(d, least), b = a, c = a, e = a;
    for (; i + chains * width <= end; i += chains * width) {
      a = hn::Min(a, keys.vector(i)), b = hn::Min(b, keys.vector(i + width));
      c = hn::Min(c, keys.vector(i + 2 * width)), e = hn::Min(e, keys.vector(i + 3 * width));
    }
    for (; i + width <= end; i += width) a = hn::Min(a, keys.vector(i));
    HWY_ALIGN word lanes[hn::MaxLanes(d)];
    hn::Store(hn::Min(hn::Min(a, b), hn::Min(c, e)), d, lanes);
    for (std::size_t lane = 0; lane < width; ++lane) least = std::min(least, lanes[lane]);
  }
  for (; i < end; ++i) least = std::min(least, keys.scalar(i));
  return least;
}

/// The lowest index from `first` on of an element with this key, which is before `end`.
template <class Keys>
HWY_INLINE std::size_t first_with_key(const Keys& keys, std::size_t first, std::size_t end,
                                      typename Keys::word key) {
  const typename Keys::tag d;
  const std::size_t width = hn::Lanes(d);
  std::size_t i = first;
  const auto wanted = hn::Set(d, key);
  while (i + width <= end && hn::AllFalse(d, hn::Eq(keys.vector(i), wanted))) i += width;
  while (keys.scalar(i) != key) ++i;
  return i;
}

template <class T, bool greatest>
extreme extremum(const void* x, std::size_t n) {
  constexpr std::size_t block = extremum_block_bytes / sizeof(T);
  const element_keys<T, greatest> keys(static_cast<const char*>(x));
  extreme best;
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t end = std::min(n, first + block);
    const auto least = least_key(keys, first, end);
    if (first != 0 && least >= best.key) continue;
    best.key = least;
    best.index = first_with_key(keys, first, end, least);
  }
  return best;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
