// Short rows as columns: a matrix transposed, square by square of as many rows as 16 bytes hold words, by rounds of
// interleaved pairs. Cost: 1 to 2 operations an element, where a copy of one after the other takes 3 to 4 clocks.
#if defined(EXACTDOT_CPU_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_TRANSPOSE_INL_H_
#undef EXACTDOT_CPU_TRANSPOSE_INL_H_
#else
#define EXACTDOT_CPU_TRANSPOSE_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The square whose row k begins at from + k·step, to to + k·pitch. A round interleaves rows that are half of them
/// apart, and so rotates the bits of an element's row and lane by one place.
template <class Word>
HWY_INLINE void transpose_square(const char* from, std::ptrdiff_t step, char* to, std::ptrdiff_t pitch) {
  const hn::CappedTag<Word, 16 / sizeof(Word)> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  vec<decltype(d)> rows[lanes];
  for (std::size_t k = 0; k < lanes; ++k, from += step) rows[k] = hn::LoadU(d, reinterpret_cast<const Word*>(from));
#if HWY_TARGET != HWY_SCALAR
  for (std::size_t done = 1; done < lanes; done *= 2) {
    vec<decltype(d)> next[lanes];
    for (std::size_t k = 0; k < lanes / 2; ++k) {
      next[2 * k] = hn::InterleaveLower(d, rows[k], rows[k + lanes / 2]);
      next[2 * k + 1] = hn::InterleaveUpper(d, rows[k], rows[k + lanes / 2]);
    }
    for (std::size_t k = 0; k < lanes; ++k) rows[k] = next[k];
  }
#endif
  for (std::size_t k = 0; k < lanes; ++k, to += pitch) hn::StoreU(rows[k], d, reinterpret_cast<Word*>(to));
}

/// See transposition.
template <class Word>
void transpose(const void* from, std::ptrdiff_t step, std::size_t rows, std::size_t columns, void* to,
               std::ptrdiff_t pitch) {
  constexpr std::size_t lanes = hn::MaxLanes(hn::CappedTag<Word, 16 / sizeof(Word)>());
  const auto place = [&](std::size_t k, std::size_t i) {
    return static_cast<const char*>(from) + static_cast<std::ptrdiff_t>(k) * step + i * sizeof(Word);
  };
  const auto target = [&](std::size_t k, std::size_t i) {
    return static_cast<char*>(to) + static_cast<std::ptrdiff_t>(i) * pitch + k * sizeof(Word);
  };
  const auto copy = [&](std::size_t k, std::size_t i) { std::memcpy(target(k, i), place(k, i), sizeof(Word)); };
  const std::size_t whole_rows = rows / lanes * lanes, whole_columns = columns / lanes * lanes;
  for (std::size_t k = 0; k < whole_rows; k += lanes) {
    for (std::size_t i = 0; i < whole_columns; i += lanes)
      transpose_square<Word>(place(k, i), step, target(k, i), pitch);
  }
  for (std::size_t i = whole_columns; i < columns; ++i) {
    for (std::size_t k = 0; k < whole_rows; ++k) copy(k, i);
  }
  for (std::size_t k = whole_rows; k < rows; ++k) {
    for (std::size_t i = 0; i < columns; ++i) copy(k, i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
