// Sums of a block's addends in fixed-point levels, each 51 bits below the one above: nothing is lost when they
// cancel.
//
// Level j adds an addend to its anchor 1.5·2^k: the sum's significand is the addend in units of 2^(k - 52),
// rounded, and the significands add up as integers. The rest of the addend, exact, goes to the next level. Unlike
// the anchors of window.hpp, which take up the sum, these do not change, so that a level holds 51 bits instead
// of 43. Source of the extraction: Rump, Ogita, Oishi, "Accurate floating-point summation I", 2008, §3
// (ExtractVector).
//
// Cost: 4 operations per level and register; for products of doubles 7 from the second level on.
#if defined(EXACTDOT_CPU_EXTRACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXTRACT_INL_H_
#undef EXACTDOT_CPU_EXTRACT_INL_H_
#else
#define EXACTDOT_CPU_EXTRACT_INL_H_
#endif

#include <cpu/scale-inl.h>
#include <cpu/simd-inl.h>

#include <core/term.hpp>
#include <cpu/extraction.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The levels of one block. Each step takes a new addend to level 0 and passes to level j what level j − 1 left in
/// the previous step: one addend's way through all levels would be a long dependency chain. The last level drops
/// what it leaves.
template <int levels>
struct extraction {
  using tag = hn::ScalableTag<double>;
  using integer_tag = hn::RebindToSigned<tag>;
  using v = vec<tag>;

  v anchor[levels], left[levels], error[levels];  // left[j], error[j]: what level j takes in the next step
  vec<integer_tag> sum[levels];                   // of the bits of anchor + addends
  std::size_t steps = 0;

  HWY_INLINE explicit extraction(int exponent) {
    for (int j = 0; j < levels; ++j) {
      anchor[j] = hn::Set(tag(), 1.5 * power_of_two(extraction_anchor(exponent, j)));
      left[j] = error[j] = hn::Zero(tag());
      sum[j] = hn::Zero(integer_tag());
    }
  }

  /// Adds the products of doubles, or the first factors if they are no products.
  template <class Term>
  HWY_INLINE void add(double, const factors<v>& of) {
    constexpr int streams = core::streams_of<Term, double>;
    take_below<streams>();
    const v addend = streams == 2 ? hn::Mul(of.x, of.y) : of.x;
    if constexpr (streams == 2) error[1] = fused_subtract(tag(), of.x, of.y, addend);
    left[1] = hn::Sub(addend, add_to_level(0, hn::Add(anchor[0], addend)));
  }
  /// Adds the products of floats, or the floats.
  template <class Term>
  HWY_INLINE void add(float, const factors<v>& of) {
    take_below<1>();
    left[1] = fused_subtract(tag(), of.x, of.y, add_to_level(0, fused_add(tag(), of.x, of.y, anchor[0])));
  }

  /// level[j] = the sum of level j's parts in its unit. To be called after levels - 1 steps that add 0.
  HWY_INLINE void collect(std::int64_t* level) const {
    const integer_tag d;
    for (int j = 0; j < levels; ++j) {
      const auto bits = static_cast<std::uint64_t>(hn::GetLane(hn::BitCast(d, anchor[j])));
      const auto total = static_cast<std::uint64_t>(hn::GetLane(hn::SumOfLanes(d, sum[j])));
      level[j] = static_cast<std::int64_t>(total - steps * hn::Lanes(d) * bits);
    }
  }

 private:
  /// Counts what has been added to level j's anchor to make `total`. Returns it.
  HWY_INLINE v add_to_level(int j, v total) {
    sum[j] = hn::Add(sum[j], hn::BitCast(integer_tag(), total));
    return hn::Sub(total, anchor[j]);
  }
  /// A step of all levels but the first.
  template <int streams>
  HWY_INLINE void take_below() {
    ++steps;
    for (int j = levels - 1; j > 0; --j) {  // one addend after the other, so that the level counts their sum
      const v first = hn::Add(anchor[j], left[j]), both = streams == 2 ? hn::Add(first, error[j]) : first;
      const v taken = add_to_level(j, both);
      if (j == levels - 1) continue;
      left[j + 1] = hn::Sub(left[j], streams == 2 ? hn::Sub(first, anchor[j]) : taken);
      if constexpr (streams == 2) error[j + 1] = hn::Sub(error[j], hn::Sub(both, first));
    }
  }
};

template <class Term, bool whole>
HWY_INLINE factors<vec<hn::ScalableTag<double>>> load_as_doubles(const double* a, const double* b,
                                                                 std::size_t count) {
  return load_factors<Term, whole>(hn::ScalableTag<double>(), a, b, 0, count);
}
template <class Term, bool whole>
HWY_INLINE factors<vec<hn::ScalableTag<double>>> load_as_doubles(const float* a, const float* b,
                                                                 std::size_t count) {
  return load_promoted_factors<Term, whole>(a, b, 0, count);
}

/// level[j] = the sum of level j's parts of a block of addends below 2^exponent, in its unit.
template <class Term, int levels, class T>
void extract_block(const T* a, const T* b, std::size_t n, int exponent, std::int64_t* level) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t width = hn::MaxLanes(hn::ScalableTag<double>());
  extraction<levels> block(exponent);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    prefetch_ahead(a + i, width);
    if constexpr (Term::inputs == 2) prefetch_ahead(b + i, width);
    block.template add<Term>(T(), load_as_doubles<Term, true>(a + i, b + i, width));
  }
  if (i < n) block.template add<Term>(T(), load_as_doubles<Term, false>(a + i, b + i, n - i));
  for (int j = 1; j < levels; ++j) block.template add<Term>(T(), {hn::Zero(d), hn::Zero(d)});
  block.collect(level);
}

/// sum += a block of addends below 2^exponent. smallest_error: the error of one addend by underflow or scaling.
template <class Term, int levels, class T>
void add_extracted(const T* a, const T* b, std::size_t n, int exponent, double smallest_error, expansion& sum) {
  std::int64_t level[levels];
  extract_block<Term, levels>(a, b, n, exponent, level);
  add_levels(sum, level, levels, exponent);
  constexpr int streams = core::streams_of<Term, T>;
  sum.bound +=
      static_cast<double>(n) * (streams * power_of_two(extraction_error(exponent, levels)) + smallest_error);
}

/// result = the sum of all products of at most `largest`.
template <class Term, int levels, class T>
void extract_all(const T* a, const T* b, std::size_t n, double largest, expansion& result) {
  result = {};
  for (std::size_t i = 0; i < n; i += extraction_block) {
    const std::size_t count = std::min(n - i, extraction_block);
    add_extracted<Term, levels>(a + i, b + i, count, exponent_above(largest), underflow_of<Term, T>, result);
  }
}

template <class Term, int levels>
bool refined_sum_of(const double* a, const double* b, std::size_t n, double largest, expansion& result) {
  if (largest > 0x1p-400 && largest < 0x1p450) {
    extract_all<Term, levels>(a, b, n, largest, result);
    return true;
  }
  const auto add_scaled = [](const double* x, const double* y, std::size_t count, int exponent, double error,
                             expansion& sum) HWY_ATTR {
    add_extracted<Term, levels>(x, y, count, exponent, error, sum);
    return true;
  };
  return add_scaled_blocks<Term>(a, b, n, result, add_scaled);
}

template <class Term, int levels>
bool refined_sum_of(const float* a, const float* b, std::size_t n, double largest, expansion& result) {
  if (!(largest > 0x1p-310 && largest < 0x1p300)) return false;
  extract_all<Term, levels>(a, b, n, largest, result);
  return true;
}

/// Levels after which a sum as small as the smallest product of a sample can be rounded.
template <class Term, class T>
int levels_by_sample(const T* a, const T* b, std::size_t n, double largest) {
  const product_sample sample = sample_products<Term, 24>(a, b, n);
  const int highest = largest < 0x1p600 ? exponent_above(largest) : sample.highest;
  const int spread = highest - std::max(sample.lowest, -1024);
  const int places = spread + spread / 16 + core::format<T>::precision + 8 + static_cast<int>(std::bit_width(n));
  int levels = 3;
  while (places > -extraction_error(0, levels)) ++levels;
  return levels;
}

template <class T, class Term>
bool refined(const void* a, const void* b, std::size_t n, int levels, double largest, expansion& result) {
  const T *const x = static_cast<const T*>(a), *const y = static_cast<const T*>(b);
  if (levels == 0) levels = levels_by_sample<Term>(x, y, n, largest);
  bool suits = false;
  if (levels == 3) suits = refined_sum_of<Term, 3>(x, y, n, largest, result);
  if (levels == 4) suits = refined_sum_of<Term, 4>(x, y, n, largest, result);
  if (levels == 5) suits = refined_sum_of<Term, 5>(x, y, n, largest, result);
  result.levels = levels;
  return suits;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
