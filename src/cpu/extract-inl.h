// Sums of a block's addends in fixed-point levels, each 47 bits below the one above: nothing is lost when they
// cancel.
//
// Level j adds an addend to a running sum that starts at an anchor 1.5·2^k; the sum takes the addend rounded to its
// unit, 2^(k - 52), and the rest of the addend, exact, goes to the next level. After 16 steps the sum's significand
// less the anchor's is counted as an integer, and the sum starts again: the anchors of window.hpp take up 256
// steps, so they have 43 bits. Source of the extraction: Rump, Ogita, Oishi, "Accurate floating-point summation I",
// 2008, §3 (ExtractVector).
//
// Cost: 3 operations per level and register; for products of doubles 6 from the second level on.
#if defined(EXACTDOT_CPU_EXTRACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_EXTRACT_INL_H_
#undef EXACTDOT_CPU_EXTRACT_INL_H_
#else
#define EXACTDOT_CPU_EXTRACT_INL_H_
#endif

#include <cpu/scale-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/refined_sum.hpp>
#include <exactdot/core/term.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The levels of one block. Each step takes a new addend to level 0 and passes to level j what level j − 1 left in
/// the previous step: one addend's way through all levels would be a long dependency chain. The last level drops
/// what it leaves. Functions that do something to each level recur instead of looping, so that all levels are in
/// registers whatever the compiler unrolls.
template <int levels>
struct extraction {
  using tag = hn::ScalableTag<double>;
  using integer_tag = hn::RebindToSigned<tag>;
  using v = vec<tag>;
  static constexpr int last = levels - 1;

  // left[j], error[j]: what level j takes next, of products or numbers and of products' errors. Each has a running
  // sum of its own: one sum of both would be a chain of two additions a step.
  v anchor[levels], sum[levels], sum_of_errors[levels], left[levels], error[levels];
  vec<integer_tag> counted[levels];  // of earlier groups
  v one = hn::Set(tag(), 1);

  HWY_INLINE explicit extraction(int exponent) { start<0>(exponent); }

  /// A step with products of doubles, or with the first factors if they are no products.
  template <class Term>
  HWY_INLINE void add(double, const factors<v>& of) {
    constexpr int streams = core::streams_of<Term, double>;
    take_below<streams, last>();
    const v addend = streams == 2 ? hn::Mul(of.x, of.y) : of.x;
    if constexpr (streams == 2) error[1] = fused_subtract(tag(), of.x, of.y, addend);
    left[1] = rest_of(addend, sum[0]);
  }
  /// A step with products of floats, or with floats.
  template <class Term>
  HWY_INLINE void add(float, const factors<v>& of) {
    take_below<1, last>();
    const v next = fused_add(tag(), of.x, of.y, sum[0]);
    left[1] = fused_subtract(tag(), of.x, of.y, hn::Sub(next, sum[0]));
    sum[0] = next;
  }

  /// To be called after each group of extraction_steps steps.
  template <int j = 0>
  HWY_INLINE void count() {
    counted[j] = hn::Add(counted[j], hn::Add(units<j>(sum), units<j>(sum_of_errors)));
    sum[j] = sum_of_errors[j] = anchor[j];
    if constexpr (j < last) count<j + 1>();
  }

  /// level[j] = the sum of level j's parts in its unit. To be called after levels - 1 steps that add 0 and count().
  template <int j = 0>
  HWY_INLINE void collect(std::int64_t* level) const {
    level[j] = hn::GetLane(hn::SumOfLanes(integer_tag(), counted[j]));
    if constexpr (j < last) collect<j + 1>(level);
  }

 private:
  template <int j>
  HWY_INLINE void start(int exponent) {
    sum[j] = sum_of_errors[j] = anchor[j] = hn::Set(tag(), 1.5 * power_of_two(extraction_anchor(exponent, j)));
    left[j] = error[j] = hn::Zero(tag());
    counted[j] = hn::Zero(integer_tag());
    if constexpr (j < last) start<j + 1>(exponent);
  }
  /// What a level's running sum of a group comes to, in the level's unit.
  template <int j>
  [[nodiscard]] HWY_INLINE vec<integer_tag> units(const v (&of)[levels]) const {
    const integer_tag d;
    return hn::Sub(hn::BitCast(d, of[j]), hn::BitCast(d, anchor[j]));
  }
  /// Adds x to a level's sum. Returns what the sum leaves. `by_product`: the subtraction by the units that
  /// multiply, so that those that add do not limit.
  template <bool by_product = false>
  HWY_INLINE v rest_of(v x, v& of_level) {
    const v next = hn::Add(of_level, x);
    const v taken = by_product ? subtract_product(tag(), next, of_level, one) : hn::Sub(next, of_level);
    of_level = next;
    return subtract_product(tag(), x, taken, one);
  }
  /// A step of all levels from j up to the first but one.
  template <int streams, int j>
  HWY_INLINE void take_below() {
    if constexpr (j == last) {
      sum[j] = hn::Add(sum[j], left[j]);
      if constexpr (streams == 2) sum_of_errors[j] = hn::Add(sum_of_errors[j], error[j]);
    } else {
      left[j + 1] = rest_of < streams == 1 && j % 2 == 1 > (left[j], sum[j]);
      if constexpr (streams == 2) error[j + 1] = rest_of<true>(error[j], sum_of_errors[j]);
    }
    if constexpr (j > 1) take_below<streams, j - 1>();
  }
};

/// level[j] = the sum of level j's parts of elements first … end - 1, a block of addends below 2^exponent, in its
/// unit.
template <class Term, int levels, class T, class Load>
void extract_block(Load& from, std::size_t first, std::size_t end, int exponent, std::int64_t* level) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t width = hn::MaxLanes(hn::ScalableTag<double>());
  Load load = from;  // in registers
  extraction<levels> block(exponent);
  constexpr std::size_t group = width * extraction_steps;
  std::size_t i = first;
  for (std::size_t stop = first; stop < end;) {
    stop = std::min(end, stop + group);
    for (; i + 2 * width <= stop; i += 2 * width) {
      load.template prefetch<far_ahead>(i, 2 * width);
      block.template add<Term>(T(), load.template get<true>(i, end));
      block.template add<Term>(T(), load.template get<true>(i + width, end));
    }
    block.count();
  }
  for (; i < end; i += width) block.template add<Term>(T(), load.template get<false>(i, end));
  block.count();
  for (int j = 1; j < levels; ++j) block.template add<Term>(T(), {hn::Zero(d), hn::Zero(d)});
  block.count();
  block.collect(level);
  from = load;
}

/// result += the sum of all addends, which are below 2^exponent as `load` gives them. False if it does not suit
/// them.
template <class Term, int levels, class T, class Load>
bool add_extracted(Load& load, std::size_t n, int exponent, refined_sum& result) {
  constexpr double dropped = core::streams_of<Term, T> * power_of_two(extraction_error(0, levels));
  for (std::size_t first = 0; first < n; first += extraction_block) {
    std::int64_t level[levels];
    extract_block<Term, levels, T>(load, first, std::min(n, first + extraction_block), exponent, level);
    add_levels(result, level, levels);
  }
  result.levels = levels;
  result.bound += static_cast<double>(n) * (dropped + load.error() * power_of_two(-exponent));
  return result.bound < HUGE_VAL;
}

/// The levels of products below 2^e > 2^lowest_refined are normal numbers. Those of floats are in range whatever e
/// is.
constexpr int lowest_refined = -400;

template <class Term, int levels>
bool refined_sum_of(const double* a, const double* b, std::size_t n, int exponent, refined_sum& result) {
  const auto suits = [](int of_products) {
    return of_products > lowest_refined && of_products <= highest_sum_exponent;
  };
  if (suits(exponent)) {
    plain_load<Term, double> load(a, b);
    return add_extracted<Term, levels, double>(load, n, exponent, result);
  }
  const product_scaling<Term> by(a, b, n);
  scaled_load<Term, true> load(a, b, by);
  const int scaled = exponent - by.unit();
  return suits(scaled) && add_extracted<Term, refined_sum::max_levels, double>(load, n, scaled, result);
}

template <class Term, int levels>
bool refined_sum_of(const float* a, const float* b, std::size_t n, int exponent, refined_sum& result) {
  if (exponent <= lowest_refined) return false;  // all products are zero
  plain_load<Term, float> load(a, b);
  return add_extracted<Term, levels, float>(load, n, exponent, result);
}

/// Levels after which a sum as small as the smallest product of a sample can be rounded.
template <class T, class Term>
int suggested_levels(const void* a, const void* b, std::size_t n, int exponent) {
  const product_sample sample = sample_products<Term>(static_cast<const T*>(a), static_cast<const T*>(b), n,
                                                      std::clamp<std::size_t>(n / 64, 24, 96));
  const int spread = exponent - std::max(sample.lowest, -2200);
  const int places = spread + core::format<T>::precision + 8 + static_cast<int>(std::bit_width(n));
  int levels = 3;
  while (places > -extraction_error(0, levels)) ++levels;
  return levels;
}

template <class T, class Term>
bool refined(const void* a, const void* b, std::size_t n, int levels, int exponent, refined_sum& result) {
  const T *const x = static_cast<const T*>(a), *const y = static_cast<const T*>(b);
  result = {};
  result.exponent = exponent;
  if (levels == 3) return refined_sum_of<Term, 3>(x, y, n, exponent, result);
  if (levels == 4) return refined_sum_of<Term, 4>(x, y, n, exponent, result);
  return refined_sum_of<Term, 5>(x, y, n, exponent, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
