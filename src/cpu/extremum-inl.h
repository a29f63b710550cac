// The least or greatest element and its lowest index.
//
// Blocks: a loop finds the least key; only a block that improves the result is read again, for the index, which in
// unordered data ln b + 1 of b blocks do. Cost per register: a minimum, of integers 1 operation more, of
// floating-point numbers 6. Columns: a lane each, row by row; with indices 3 operations more.
#if defined(EXACTDOT_CPU_EXTREMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXTREMUM_INL_H_
#undef EXACTDOT_CPU_EXTREMUM_INL_H_
#else
#define EXACTDOT_CPU_EXTREMUM_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <algorithm>
#include <cpu/kernels.hpp>
#include <cstring>
#include <exactdot/core/extremum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

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
    return of(hn::LoadU(tag(), reinterpret_cast<const word*>(x_ + i * sizeof(T))));
  }
  static HWY_INLINE v of(v bits) {
    const tag d;
    constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1)), ones = static_cast<word>(~word{0});
    if constexpr (integer_element<T>) {
      constexpr word flip = static_cast<word>((detail::has_sign<T> ? sign : word{0}) ^ (greatest ? ones : word{0}));
      return hn::Xor(bits, hn::Set(d, flip));
    } else {
      // a positive number's sign is inverted, a negative one's every bit
      const hn::RebindToSigned<tag> ds;
      using signed_word = hn::TFromD<decltype(ds)>;
      const v negative = hn::BitCast(d, hn::ShiftRight<8 * sizeof(T) - 1>(hn::BitCast(ds, bits)));
      const v ascending = hn::Xor(bits, hn::Or(negative, hn::Set(d, sign)));
      const v key = greatest ? hn::Xor(ascending, hn::Set(d, ones)) : ascending;
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

/// The lowest index from `first` on of an element with this key, which is before `end`. Some index before `end` if
/// another thread has overwritten it since the key was read.
template <class Keys>
HWY_INLINE std::size_t first_with_key(const Keys& keys, std::size_t first, std::size_t end,
                                      typename Keys::word key) {
  const typename Keys::tag d;
  const std::size_t width = hn::Lanes(d);
  std::size_t i = first;
  const auto wanted = hn::Set(d, key);
  while (i + width < end && hn::AllFalse(d, hn::Eq(keys.vector(i), wanted))) i += width;
  while (i + 1 < end && keys.scalar(i) != key) ++i;
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

/// Lowers the keys of columns start, start + 1, … of which `width` exist to those of the rows' elements, and with
/// `has_index` keeps the row, as `first` and how many follow it.
template <class T, bool greatest, bool has_index, bool whole>
HWY_INLINE void add_extremum_register(const row_block& x, std::size_t rows, std::size_t first, std::size_t start,
                                      std::size_t width, const column_extremes& to) {
  using keys = element_keys<T, greatest>;
  using word = typename keys::word;
  const typename keys::tag d;
  word* const key_of = static_cast<word*>(to.key) + start;
  word* const row_of = static_cast<word*>(to.row) + start;
  auto least = hn::LoadU(d, key_of), row = least, now = row;
  const auto one = hn::Set(d, 1);
  if constexpr (has_index) row = hn::LoadU(d, row_of), now = hn::Set(d, static_cast<word>(first));
  const row_prefetcher<word> prefetch(x.step, rows, start, width);
  for (std::size_t i = 0; i < rows; ++i) {
    const word* const from = x.row<word>(i);
    if constexpr (whole) prefetch(from);
    const auto key = keys::of(load_part<whole>(d, from, start, width));
    if constexpr (has_index) {
      row = hn::IfThenElse(hn::Lt(key, least), now, row);
      now = hn::Add(now, one);
    }
    least = hn::Min(least, key);
  }
  hn::StoreU(least, d, key_of);
  if constexpr (has_index) hn::StoreU(row, d, row_of);
}

template <class T, bool greatest, bool has_index>
void add_extremum_rows(const row_block& x, std::size_t rows, std::size_t first, std::size_t width,
                       const column_extremes& to) {
  const std::size_t lanes = hn::Lanes(typename element_keys<T, greatest>::tag());
  std::size_t start = 0;
  for (; start + lanes <= width; start += lanes)
    add_extremum_register<T, greatest, has_index, true>(x, rows, first, start, width, to);
  if (start < width) add_extremum_register<T, greatest, has_index, false>(x, rows, first, start, width, to);
}

/// See column_extremum_kernel.
template <class T, bool greatest>
void column_extremum(const row_block& x, std::size_t rows, std::size_t first, std::size_t width,
                     const column_extremes& to) {
  if (to.row == nullptr) return add_extremum_rows<T, greatest, false>(x, rows, first, width, to);
  add_extremum_rows<T, greatest, true>(x, rows, first, width, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
