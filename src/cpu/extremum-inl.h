// The least or greatest element and its lowest index.
//
// Blocks: a loop finds the least key; only a block that improves the result is read again, for the index, which in
// unordered data ln b + 1 of b blocks do. Cost per register: a minimum, of integers 1 operation more, of
// floating-point numbers 6. Columns: a lane each, row by row; with indices 3 operations more than that. Without
// them the elements of some rows are compared as numbers, 1 operation a register of integers (2 of 64 bits on AVX2)
// and 3 of floats or doubles, and only the least or greatest of each column becomes a key.
//
// Numbers compare as keys do but for NaNs and zeros. A NaN in any row makes its column's key that of NaN, whatever
// the comparisons gave. An extreme that is a zero has the sign of -0, of a minimum if any element of the column has
// a sign, of a maximum if all have: beside zeros a minimum's column has positive numbers only, a maximum's negative
// ones. Rows are read again for it, from the cache.
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
#include <limits>
#include <type_traits>

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

/// Whether some rows are compared as numbers; floats of 16 and 8 bits as keys: no instruction compares them.
template <class T>
constexpr bool compares_numbers = integer_element<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Elements of T as lanes that one instruction compares: AVX2 has none for unsigned 64-bit integers, so those have
/// their highest bit inverted.
template <class T>
struct compared {
  static constexpr bool is_flipped = std::is_same_v<T, std::uint64_t>;
  using lane = std::conditional_t<is_flipped, std::int64_t, T>;
  using tag = hn::ScalableTag<lane>;

  static HWY_INLINE vec<tag> flipped(vec<tag> x) {
    if constexpr (is_flipped) return hn::Xor(x, hn::Set(tag(), std::numeric_limits<std::int64_t>::min()));
    return x;
  }
  template <bool whole>
  static HWY_INLINE vec<tag> load(const row_block& x, std::size_t row, std::size_t start, std::size_t width) {
    return flipped(load_part<whole>(tag(), x.row<lane>(row), start, width));
  }
};

/// Where a number is zero, the zero of the sign that the extreme of these columns has.
template <class T, bool greatest, bool whole>
HWY_INLINE auto with_sign_of_zero(const row_block& x, std::size_t rows, std::size_t start, std::size_t width,
                                  vec<typename compared<T>::tag> extreme) {
  using of = compared<T>;
  const typename of::tag d;
  const auto is_zero = hn::Eq(extreme, hn::Zero(d));
  if (hn::AllFalse(d, is_zero)) return extreme;
  auto signs = of::template load<whole>(x, 0, start, width);
  for (std::size_t i = 1; i < rows; ++i) {
    const auto more = of::template load<whole>(x, i, start, width);
    signs = greatest ? hn::And(signs, more) : hn::Or(signs, more);
  }
  return hn::IfThenElse(is_zero, hn::And(signs, hn::Set(d, lane_of<typename of::tag>{-0.0})), extreme);
}

/// Lowers the keys of `registers` registers of columns from `start` on, of which `width` exist, to those of one row
/// or more.
template <class T, bool greatest, bool whole, std::size_t registers>
HWY_INLINE void add_compared_registers(const row_block& x, std::size_t rows, std::size_t start, std::size_t width,
                                       const column_extremes& to) {
  using of = compared<T>;
  using keys = element_keys<T, greatest>;
  const typename of::tag d;
  const typename keys::tag words;
  constexpr std::size_t lanes = hn::MaxLanes(typename of::tag());
  vec<typename of::tag> extreme[registers];
  hn::Mask<typename of::tag> is_nan[registers];
  for (std::size_t k = 0; k < registers; ++k) {
    extreme[k] = of::template load<whole>(x, 0, start + k * lanes, width);
    if constexpr (!integer_element<T>) is_nan[k] = hn::IsNaN(extreme[k]);
  }
  const row_prefetcher<T> prefetch(x.step, rows, start, width);
  if constexpr (whole) prefetch(x.row<T>(0));
  for (std::size_t i = 1; i < rows; ++i) {
    if constexpr (whole) prefetch(x.row<T>(i));
    for (std::size_t k = 0; k < registers; ++k) {
      const auto number = of::template load<whole>(x, i, start + k * lanes, width);
      extreme[k] = greatest ? hn::Max(extreme[k], number) : hn::Min(extreme[k], number);
      if constexpr (!integer_element<T>) is_nan[k] = hn::Or(is_nan[k], hn::IsNaN(number));
    }
  }
  for (std::size_t k = 0; k < registers; ++k) {
    auto* const key_of = static_cast<typename keys::word*>(to.key) + start + k * lanes;
    if constexpr (!integer_element<T>) {
      extreme[k] = with_sign_of_zero<T, greatest, whole>(x, rows, start + k * lanes, width, extreme[k]);
    }
    auto key = keys::of(hn::BitCast(words, of::flipped(extreme[k])));
    if constexpr (!integer_element<T>) key = hn::AndNot(hn::BitCast(words, hn::VecFromMask(d, is_nan[k])), key);
    hn::StoreU(hn::Min(hn::LoadU(words, key_of), key), words, key_of);
  }
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
  if (rows == 0) return;
  constexpr std::size_t lanes = hn::MaxLanes(typename element_keys<T, greatest>::tag());
  std::size_t start = 0;
  if constexpr (!has_index && compares_numbers<T>) {
    constexpr std::size_t line = std::max<std::size_t>(64 / (lanes * sizeof(T)), 1);
    for (; start + line * lanes <= width; start += line * lanes)
      add_compared_registers<T, greatest, true, line>(x, rows, start, width, to);
    for (; start + lanes <= width; start += lanes)
      add_compared_registers<T, greatest, true, 1>(x, rows, start, width, to);
    if (start < width) add_compared_registers<T, greatest, false, 1>(x, rows, start, width, to);
    return;
  }
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
