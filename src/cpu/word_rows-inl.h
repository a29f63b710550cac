// Exact sums of 64-bit integers, many at once: the words of a row join the sums of their columns in the row's
// entry.
//
// A sum is two words, of the words' lower and upper halves without a sign, so 2^32 rows carry nothing over. An
// integer x with a sign is x + 2^63 without one, and the bits of that are those of x but for the highest. Cost per
// word: 5 operations, and the loads and stores of two registers.
#if defined(EXACTDOT_CPU_WORD_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_WORD_ROWS_INL_H_
#undef EXACTDOT_CPU_WORD_ROWS_INL_H_
#else
#define EXACTDOT_CPU_WORD_ROWS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cpu/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The sums of a register of columns.
template <bool absolute>
struct word_register {
  using tag = hn::ScalableTag<std::uint64_t>;
  vec<tag> low, high;

  HWY_INLINE word_register() : low(hn::Zero(tag())), high(hn::Zero(tag())) {}
  HWY_INLINE word_register(const word_sums& from, std::size_t at)
      : low(hn::LoadU(tag(), from.low + at)), high(hn::LoadU(tag(), from.high + at)) {}
  HWY_INLINE void add(vec<tag> word, vec<tag> flips) {
    const tag d;
    const hn::RebindToSigned<tag> with_sign;
    word = absolute ? hn::BitCast(d, hn::Abs(hn::BitCast(with_sign, word))) : hn::Xor(word, flips);
    low = hn::Add(low, hn::And(word, hn::Set(d, 0xffffffff)));
    high = hn::Add(high, hn::ShiftRight<32>(word));
  }
  HWY_INLINE void store(const word_sums& to, std::size_t at) const {
    hn::StoreU(low, tag(), to.low + at), hn::StoreU(high, tag(), to.high + at);
  }
};

/// See word_run_kernel.
template <bool absolute>
word_sum sum_words(const void* x, std::size_t n, std::uint64_t flip) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* const words = static_cast<const std::uint64_t*>(x);
  const auto flips = hn::Set(d, flip);
  word_register<absolute> even, odd;
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even.add(hn::LoadU(d, words + i), flips);
    odd.add(hn::LoadU(d, words + i + lanes), flips);
  }
  for (; i < n; i += lanes) even.add(load_part<false>(d, words, i, n), flips);
  // the lanes behind the last word were flipped too
  return {hn::GetLane(hn::SumOfLanes(d, hn::Add(even.low, odd.low))),
          hn::GetLane(hn::SumOfLanes(d, hn::Add(even.high, odd.high))) - (i - n) * (flip >> 32)};
}

/// The words of some columns of all rows, from column `start` on.
template <bool absolute, bool whole>
HWY_INLINE void add_word_register(const row_block& x, std::size_t rows, std::size_t start, std::size_t width,
                                  std::uint64_t flip, const std::uint32_t* entries, const word_sums& table,
                                  std::size_t step) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto flips = hn::Set(d, flip);
  const auto word_at = [&](std::size_t i)
                           HWY_ATTR { return load_part<whole>(d, x.row<std::uint64_t>(i), start, width); };
  if (entries == nullptr) {
    word_register<absolute> sums(table, start);
    for (std::size_t i = 0; i < rows; ++i) sums.add(word_at(i), flips);
    return sums.store(table, start);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t at = start + entries[i] * step;
    word_register<absolute> sums(table, at);
    sums.add(word_at(i), flips);
    sums.store(table, at);
  }
}

template <bool absolute>
void add_word_rows(const row_block& x, std::size_t rows, std::size_t width, std::uint64_t flip,
                   const std::uint32_t* entries, const word_sums& table, std::size_t step) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<std::uint64_t>());
  std::size_t start = 0;
  for (; start + lanes <= width; start += lanes)
    add_word_register<absolute, true>(x, rows, start, width, flip, entries, table, step);
  if (start < width) add_word_register<absolute, false>(x, rows, start, width, flip, entries, table, step);
}

/// See word_conversion. Adding an integer x to the bits of 1.5·2^52 gives those of 1.5·2^52 + x.
bool convert_words(const void* from, std::size_t n, bool has_sign, double* to) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::ScalableTag<double> tag;
  const auto shift = hn::Set(tag, 0x1.8p52);
  const auto lowest = hn::Set(d, has_sign ? std::uint64_t{1} << 51 : 0);
  auto all = hn::Zero(d);
  const auto convert = [&](vec<decltype(d)> words) HWY_ATTR {
    all = hn::Or(all, hn::Add(words, lowest));
    return hn::Sub(hn::BitCast(tag, hn::Add(words, hn::BitCast(d, shift))), shift);
  };
  const auto* const words = static_cast<const std::uint64_t*>(from);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) hn::StoreU(convert(hn::LoadU(d, words + i)), tag, to + i);
  if (i < n) {
    HWY_ALIGN double last[hn::MaxLanes(tag)];
    hn::Store(convert(load_part<false>(d, words, i, n)), tag, last);
    std::memcpy(to + i, last, (n - i) * sizeof(double));
  }
  const auto beyond = hn::Set(d, ~std::uint64_t{0} << (has_sign ? 52 : 51));
  return hn::AllTrue(d, hn::Eq(hn::And(all, beyond), hn::Zero(d)));
}

/// See instruction_set::bound_words.
void bound_words(const word_sums& of, std::size_t start, std::size_t count, std::uint64_t flips,
                 const sum_bounds& to) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::ScalableTag<double> tag;
  const auto shift = hn::Set(tag, 0x1.8p52), scale = hn::Set(tag, 0x1p32);
  const auto as_double = [&](vec<decltype(d)> words) HWY_ATTR {
    return hn::Sub(hn::BitCast(tag, hn::Add(words, hn::BitCast(d, shift))), shift);
  };
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto high = hn::Sub(hn::LoadU(d, of.high + start + i), hn::Set(d, flips << 31));
    const auto upper = hn::Mul(as_double(high), scale), lower = as_double(hn::LoadU(d, of.low + start + i));
    const auto sum = hn::Add(upper, lower), added = hn::Sub(sum, upper);
    hn::StoreU(sum, tag, to.head + i);
    hn::StoreU(hn::Add(hn::Sub(upper, hn::Sub(sum, added)), hn::Sub(lower, added)), tag, to.tail + i);
    hn::StoreU(hn::Zero(tag), tag, to.bound + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
