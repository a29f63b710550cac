// What the kernels need beyond Highway: a multiply-add that is fused on every target, partial loads that touch no
// byte outside the vector, the factors of a term, and sums over lanes.
//
// Included once per Highway target. D: a tag of Highway, T: its lane type, V: its vector type.
#if defined(EXACTDOT_CPU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_SIMD_INL_H_
#undef EXACTDOT_CPU_SIMD_INL_H_
#else
#define EXACTDOT_CPU_SIMD_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cpu/powers.hpp>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using vec = hn::Vec<D>;
template <class D>
using lane_of = hn::TFromD<D>;

/// a·b + c rounded once, on every lane. Targets without the instruction use the correctly rounded software one.
template <class D>
HWY_INLINE vec<D> fused_add(D d, vec<D> a, vec<D> b, vec<D> c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  HWY_ALIGN lane_of<D> x[hn::MaxLanes(D())], y[hn::MaxLanes(D())], z[hn::MaxLanes(D())];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#endif
}

/// a·b - c rounded once.
template <class D>
HWY_INLINE vec<D> fused_subtract(D d, vec<D> a, vec<D> b, vec<D> c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, c);
#else
  return fused_add(d, a, b, hn::Neg(c));
#endif
}

/// c - a·b rounded once.
template <class D>
HWY_INLINE vec<D> fused_rest(D d, vec<D> a, vec<D> b, vec<D> c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::NegMulAdd(a, b, c);
#else
  return fused_add(d, hn::Neg(a), b, c);
#endif
}

/// x - y·one, where `one` is 1: a subtraction on the units that multiply, which loops of additions leave idle on
/// processors that have both kinds.
template <class D>
HWY_INLINE vec<D> subtract_product(D d, vec<D> x, vec<D> y, vec<D> one) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::NegMulAdd(y, one, x);
#else
  (void)d, (void)one;
  return hn::Sub(x, y);
#endif
}

/// The first `count` lanes from memory, the others +0. Reads nothing else.
template <class D>
HWY_INLINE vec<D> load_first(D d, const lane_of<D>* from, std::size_t count) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  // AVX2 masks no lanes of 1 or 2 bytes: Highway would read the whole vector
  constexpr bool has_mask = HWY_TARGET == HWY_AVX3 || sizeof(lane_of<D>) >= 4;
#else
  constexpr bool has_mask = false;
#endif
  if constexpr (has_mask) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else {
    HWY_ALIGN lane_of<D> lanes[hn::MaxLanes(D())] = {};
    std::memcpy(lanes, from, count * sizeof(lane_of<D>));
    return hn::Load(d, lanes);
  }
}

/// Floats are processed as two vectors of doubles: this many at a time. Usually one float vector; on Highway's
/// scalar target two.
constexpr std::size_t float_pair = 2 * hn::MaxLanes(hn::ScalableTag<double>());

/// A vector as the compiler has to keep it, in a register: otherwise it may load elements again for each use, and a
/// load that crosses a cache line takes two turns.
template <class V>
HWY_INLINE V in_register(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
  return v;
}

/// How many lanes of a vector of D that starts at element `start` hold one of `count` elements.
template <class D>
HWY_INLINE std::size_t lanes_left(D d, std::size_t start, std::size_t count) {
  return count <= start ? 0 : std::min(count - start, hn::Lanes(d));
}

/// Elements start, start + 1, … of `from`, of which only `count` exist; the others are +0. A whole vector if
/// `whole`.
template <bool whole, class D>
HWY_INLINE vec<D> load_part(D d, const lane_of<D>* from, std::size_t start, std::size_t count) {
  if constexpr (whole)
    return hn::LoadU(d, from + start);
  else
    return load_first(d, from + start, lanes_left(d, start, count));
}

/// The same for floats, as doubles.
template <bool whole>
HWY_INLINE vec<hn::ScalableTag<double>> load_promoted(const float* from, std::size_t start, std::size_t count) {
  const hn::ScalableTag<double> d;
  return hn::PromoteTo(d, load_part<whole>(hn::Rebind<float, decltype(d)>(), from, start, count));
}

/// The factors of the addends of some neighbouring elements.
template <class V>
struct factors {
  V x, y;
};

/// The factors of Term from the elements of a and b. Terms of one factor are multiplied by 1.
template <class Term, class D>
HWY_INLINE factors<vec<D>> factors_of(D d, vec<D> a, vec<D> b) {
  if constexpr (Term::factors == 1) b = hn::Set(d, 1);
  if constexpr (Term::absolute) return {hn::Abs(a), hn::Abs(b)};
  return {a, b};
}

/// The factors of elements start, start + 1, … of which only `count` exist; the others are +0.
template <class Term, bool whole, class D>
HWY_INLINE factors<vec<D>> load_factors(D d, const lane_of<D>* a, const lane_of<D>* b, std::size_t start,
                                        std::size_t count) {
  const auto x = load_part<whole>(d, a, start, count);
  return factors_of<Term>(d, x, Term::inputs == 2 ? load_part<whole>(d, b, start, count) : x);
}

/// The same for floats, as doubles.
template <class Term, bool whole>
HWY_INLINE factors<vec<hn::ScalableTag<double>>> load_promoted_factors(const float* a, const float* b,
                                                                       std::size_t start, std::size_t count) {
  const auto x = load_promoted<whole>(a, start, count);
  const auto y = Term::inputs == 2 ? load_promoted<whole>(b, start, count) : x;
  return factors_of<Term>(hn::ScalableTag<double>(), x, y);
}

/// How far ahead of their use the exact kernels prefetch, in bytes: windows and levels, bounded sums. Their long
/// dependency chains leave the processor too little room to run ahead (measured: docs/experiments.md).
constexpr std::size_t far_ahead = 3072, ahead = 4096;

/// Prefetches the cache lines of `count` elements, `distance` bytes ahead. These may lie past the end: a prefetch
/// never faults.
template <std::size_t distance, class T>
HWY_INLINE void prefetch_ahead(const T* from, std::size_t count) {
  const char* const line = reinterpret_cast<const char*>(from) + distance;
  for (std::size_t byte = 0; byte < count * sizeof(T); byte += 64) hwy::Prefetch(line + byte);
}

/// How far ahead of its use a row of a matrix is prefetched, in bytes: rows that lie far apart are read side by
/// side, which hides their order from the processor (measured: docs/experiments.md).
constexpr std::size_t ahead_in_row = 1024;

/// Prefetches what rows hold behind column `start`, or at their end the rows that are read after them, `rows`
/// further.
template <class T>
class row_prefetcher {
 public:
  HWY_INLINE row_prefetcher(std::ptrdiff_t step, std::size_t rows, std::size_t start, std::size_t width)
      : is_due_(start * sizeof(T) % 64 == 0),
        distance_(static_cast<std::ptrdiff_t>(start * sizeof(T) + ahead_in_row)) {
    constexpr std::ptrdiff_t shortest = 256;
    const auto row_bytes = static_cast<std::ptrdiff_t>(width * sizeof(T));
    const bool jumps = distance_ >= row_bytes && row_bytes > shortest && std::abs(step) <= 2 * row_bytes;
    if (jumps) distance_ += static_cast<std::ptrdiff_t>(rows) * step - row_bytes;
  }
  HWY_INLINE void operator()(const T* row) const {
    if (is_due_) hwy::Prefetch(reinterpret_cast<const char*>(row) + distance_);
  }

 private:
  bool is_due_;  // once for each cache line
  std::ptrdiff_t distance_;
};

/// Sum over the lanes, in an unspecified order.
template <class D>
HWY_INLINE lane_of<D> sum_lanes(D d, vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
