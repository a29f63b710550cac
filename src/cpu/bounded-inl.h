// Bounded sums: a sum with a proven error bound (bounded_sum.hpp).
//
// float: products are exact in double and added plainly; Cauchy-Schwarz bounds the sum of their magnitudes.
// double: an anchor 1.5·2^k splits each product so that the high parts add without error (Rump, Ogita, Oishi,
// "Accurate floating-point summation I", 2008, §3: ExtractVector; a fused multiply-add splits the product without
// computing it); the residuals, rounded once, add plainly.
// Cost per register: floats 4 conversions and 4 flops; doubles 5 flops, 15 or 23 operations if they are scaled, and
// a sample of 8 elements a call.
#if defined(EXACTDOT_CPU_BOUNDED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_BOUNDED_INL_H_
#undef EXACTDOT_CPU_BOUNDED_INL_H_
#else
#define EXACTDOT_CPU_BOUNDED_INL_H_
#endif

#include <cpu/scale-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/bounded_sum.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t bounded_block = 2048;
constexpr std::size_t short_vector =
    192;  // floats: up to here the root and the sums of squares cost more than they save

/// From how many bytes of both vectors on a call prefetches. Below, prefetching gains nothing, and in a float's
/// loop it costs 5 %; above, it takes up to a quarter of the time off (measured: docs/experiments.md).
template <class T>
constexpr std::size_t prefetched_bytes = std::is_same_v<T, double> ? 1 << 18 : 1 << 23;

template <class Term, class T>
bool is_prefetched(std::size_t n) {
  return n > prefetched_bytes<T> / (Term::inputs * sizeof(T));
}

/// Prefetches elements before their use, and behind the last ones those that the caller goes on with.
template <class Term, class T>
class prefetcher {
 public:
  HWY_INLINE prefetcher(const T* a, const T* b, std::size_t n, const void* next)
      : a_(a), b_(b), next_(next == nullptr ? a + n : static_cast<const T*>(next)), n_(n) {}

  HWY_INLINE void operator()(std::size_t i, std::size_t count) const {
    const std::size_t at = i + ahead / sizeof(T);
    prefetch_ahead<0>(at < n_ ? a_ + at : next_ + (at - n_), count);
    if constexpr (Term::inputs == 2) prefetch_ahead<ahead>(b_ + i, count);
  }

 private:
  const T *a_, *b_, *next_;
  std::size_t n_;
};

/// Where nothing is prefetched.
struct no_prefetcher {
  HWY_INLINE void operator()(std::size_t, std::size_t) const {}
};

/// Two accumulators of doubles for the halves of a float_pair, and what bounds their error: the sums of the squares
/// of a and of b or, for data whose squares leave the range of float (`any_size`), the sum of |product|.
template <class Term, bool any_size>
struct float_sums {
  using tag = hn::ScalableTag<double>;
  using float_tag = hn::ScalableTag<float>;
  vec<tag> low, high, magnitude;
  vec<float_tag> squares_a, squares_b;

  HWY_INLINE float_sums() {
    low = high = magnitude = hn::Zero(tag());
    squares_a = squares_b = hn::Zero(float_tag());
  }

  template <bool whole>
  HWY_INLINE void add(const float* a, const float* b, std::size_t count) {
    low = add_half<whole>(a, b, 0, count, low);
    high = add_half<whole>(a, b, float_pair / 2, count, high);
    if constexpr (!any_size) {
      const float_tag d;
      for (std::size_t first = 0; first < float_pair; first += hn::Lanes(d)) {
        const auto of = load_factors<Term, whole>(d, a, b, first, count);
        squares_a = fused_add(d, of.x, of.x, squares_a);
        if constexpr (Term::inputs == 2) squares_b = fused_add(d, of.y, of.y, squares_b);
      }
    }
  }

  /// An upper bound on the sum of |product| of `count` terms; infinite or NaN if this kind of sums does not suit
  /// the data.
  HWY_INLINE double bound(std::size_t count) const {
    if constexpr (any_size) return sum_lanes(tag(), magnitude) * 1.0625;
    // 1.0625: rounding errors, at most 2^-12. Above 2^-100 underflow loses less than that too.
    const double a = sum_lanes(float_tag(), squares_a);
    const double b = Term::inputs == 2    ? sum_lanes(float_tag(), squares_b)
                     : Term::factors == 2 ? a
                                          : static_cast<double>(count);
    return a > 0x1p-100 && b > 0x1p-100 ? std::sqrt(a * b) * 1.0625 : HUGE_VAL;
  }

 private:
  template <bool whole>
  HWY_INLINE vec<tag> add_half(const float* a, const float* b, std::size_t first, std::size_t count, vec<tag> sum) {
    const auto of = load_promoted_factors<Term, whole>(a, b, first, count);
    if constexpr (any_size) magnitude = fused_add(tag(), hn::Abs(of.x), hn::Abs(of.y), magnitude);
    return fused_add(tag(), of.x, of.y, sum);
  }
};

template <class Term, bool any_size, class Prefetch>
bool bounded_float_sum(const float* a, const float* b, std::size_t n, Prefetch prefetch, bounded_sum& result) {
  constexpr std::size_t width = float_pair;
  result = {};
  for (std::size_t first = 0; first < n; first += bounded_block) {
    const std::size_t count = std::min(n - first, bounded_block);
    float_sums<Term, any_size> even, odd;
    std::size_t i = 0;
    for (; i + 2 * width <= count; i += 2 * width) {
      prefetch(first + i, 2 * width);
      even.template add<true>(a + i, b + i, width);
      odd.template add<true>(a + i + width, b + i + width, width);
    }
    for (; i < count; i += width) even.template add<false>(a + i, b + i, count - i);
    even.low = hn::Add(hn::Add(even.low, odd.low), hn::Add(even.high, odd.high));
    even.magnitude = hn::Add(even.magnitude, odd.magnitude);
    even.squares_a = hn::Add(even.squares_a, odd.squares_a);
    even.squares_b = hn::Add(even.squares_b, odd.squares_b);
    const double magnitudes = even.bound(count), error = summation_error(count / width + 2, 2 * width, magnitudes);
    if (!(error < HUGE_VAL)) return false;
    result.largest = std::max(result.largest, magnitudes);
    add(result, sum_lanes(hn::ScalableTag<double>(), even.low), 0, error);
    a += count, b += count;
  }
  return true;
}

/// Whether the squares of the first elements are normal floats. If they are not, an attempt with squares would
/// fail, and slowly: on common processors each operation on a subnormal costs a hundred cycles.
HWY_INLINE bool starts_moderate(const float* x, std::size_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto size = hn::BitCast(du, hn::Abs(load_part<false>(d, x, 0, n)));
  const auto below = [&](auto bits, float limit)
                         HWY_ATTR { return hn::Lt(bits, hn::Set(du, std::bit_cast<std::uint32_t>(limit) - 1)); };
  const auto less_one = hn::Sub(size, hn::Set(du, 1));  // turns 0, which is welcome, into the largest
  return hn::AllFalse(du, hn::Or(below(less_one, 0x1p-50F), hn::Not(below(size, 0x1p50F))));
}

template <class Term>
bool bounded_sum_of(const float* a, const float* b, std::size_t n, const void* next, bounded_sum& result) {
  const bool moderate = n > short_vector && starts_moderate(a, n) && (Term::inputs == 1 || starts_moderate(b, n));
  const bool is_done =
      moderate && (next != nullptr || is_prefetched<Term, float>(n)
                       ? bounded_float_sum<Term, false>(a, b, n, prefetcher<Term, float>(a, b, n, next), result)
                       : bounded_float_sum<Term, false>(a, b, n, no_prefetcher(), result));
  return is_done || bounded_float_sum<Term, true>(a, b, n, no_prefetcher(), result);
}

/// Exponents between the largest product and a bound on the root of a block's sum of their squares.
constexpr int exponent_margin = 6;

/// Adds elements first … end - 1, a block, whose sum of squares should be below 4^exponent; false if it is not, or
/// if the load does not suit the data.
template <class Load, class Prefetch>
HWY_INLINE bool add_bounded_block(Load& load, std::size_t first, std::size_t end, int exponent, Prefetch prefetch,
                                  bounded_sum& result) {
  const hn::ScalableTag<double> d;
  using v = vec<decltype(d)>;
  const std::size_t width = hn::Lanes(d);
  // A lane of a sum takes at most steps + 1 high parts. By Cauchy-Schwarz, while their squares add up to at most
  // 4^exponent, they add up to less than 2^(anchor_exponent - 1) and stay in the anchor's binade. A residual is at
  // most half the anchor's unit.
  constexpr std::size_t steps = bounded_block / (2 * hn::MaxLanes(d));
  const int anchor_exponent = exponent + (std::bit_width(steps) + 1) / 2 + 1;
  const v anchor = hn::Set(d, 1.5 * power_of_two(anchor_exponent));
  const double half_unit = power_of_two(anchor_exponent - 53);
  struct sums {
    v high, residual, squares;
  };
  sums even{anchor, hn::Zero(d), hn::Zero(d)}, odd = even;
  const auto step = [&](factors<v> of, sums& sum) HWY_ATTR {
    const v next = fused_add(d, of.x, of.y, sum.high);
    const v high = hn::Sub(next, sum.high);  // the product to the anchor's unit, exactly
    sum.residual = hn::Add(sum.residual, fused_subtract(d, of.x, of.y, high));
    sum.high = next;
    sum.squares = fused_add(d, high, high, sum.squares);
  };
  std::size_t i = first;
  for (; i + 2 * width <= end; i += 2 * width) {
    prefetch(i, 2 * width);
    step(load.template get<true>(i, end), even);
    step(load.template get<true>(i + width, end), odd);
  }
  for (; i < end; i += width) step(load.template get<false>(i, end), even);
  const double limit = power_of_two(exponent), squares = sum_lanes(d, hn::Add(even.squares, odd.squares));
  const double smallest_error = load.error();
  if (!(squares <= limit * limit && smallest_error < HUGE_VAL)) return false;
  const double high = sum_lanes(d, hn::Add(hn::Sub(even.high, anchor), hn::Sub(odd.high, anchor)));  // exact
  const double residual = sum_lanes(d, hn::Add(even.residual, odd.residual));
  // A residual is rounded once more than there are additions.
  const double count = static_cast<double>(end - first);
  const double error = summation_error((end - first) / (2 * width) + 2, 4 * width, count * half_unit);
  add(result, high, residual, error + count * smallest_error);
  // a product that scaling dropped is at most smallest_error
  result.largest = std::max(result.largest, std::sqrt(squares) * 1.0625 + 2 * half_unit + smallest_error);
  return true;
}

/// result += the sum of all elements, for which add_bounded_block gets this exponent, until a block needs a larger
/// one. False if addends are too large or too small, or not finite.
template <class Load, class Prefetch = no_prefetcher>
HWY_INLINE bool add_bounded_blocks(Load& load, std::size_t n, int exponent, bounded_sum& result,
                                   Prefetch prefetch = {}) {
  for (std::size_t first = 0; first < n; first += bounded_block) {
    const std::size_t end = std::min(n, first + bounded_block);
    bool is_raised = false;
    while (exponent == unknown_exponent || !add_bounded_block(load, first, end, exponent, prefetch, result)) {
      if (is_raised) return false;
      is_raised = true;
      const double largest = largest_addend(load, first, end);
      const int needed = largest == 0 ? lowest_sum_exponent : exponent_above(largest);
      const bool is_first = exponent == unknown_exponent;
      if (needed > highest_sum_exponent || (needed < lowest_sum_exponent && is_first)) return false;
      exponent = std::max(exponent, std::max(needed, lowest_sum_exponent) + exponent_margin);
    }
  }
  return true;
}

/// Whether all addends are zero, and not only because a product underflows.
template <class Load>
HWY_INLINE bool are_zero(Load load, std::size_t n) {
  const hn::ScalableTag<double> d;
  const auto are_zero = [&](auto of) HWY_ATTR {
    const auto factor = hn::Min(hn::Abs(of.x), hn::Abs(of.y)),
               product = hn::Mul(of.x, of.y);  // zero · infinity: NaN
    return hn::AllTrue(d, hn::And(hn::Eq(factor, hn::Zero(d)), hn::Eq(product, hn::Zero(d))));
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    if (!are_zero(load.template get<true>(i, n))) return false;
  }
  return are_zero(load.template get<false>(i, n));
}

/// An exponent above the products of up to four blocks, by the first two registers of them, if these are alike; else
/// unknown_exponent. For a short vector it takes less time than a sample of elements far apart.
template <class Term>
HWY_INLINE int exponent_of_first(const double* a, const double* b, std::size_t n) {
  const hn::ScalableTag<double> d;
  if (n < 2 * hn::Lanes(d) || n > 4 * bounded_block) return unknown_exponent;
  plain_load<Term, double> load(a, b);
  const auto size_of = [&](auto of) HWY_ATTR { return hn::Abs(hn::Mul(of.x, of.y)); };
  const auto first = size_of(load.template get<true>(0, n)),
             second = size_of(load.template get<true>(hn::Lanes(d), n));
  const double highest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(first, second)));
  const double lowest = hn::GetLane(hn::MinOfLanes(d, hn::Min(first, second)));
  const bool are_alike = lowest > 0x1p-480 && highest < 0x1p480 && highest * power_of_two(-alike) <= lowest;
  return are_alike ? exponent_above(highest) + sampling_margin : unknown_exponent;
}

/// Up to here the largest product takes less time to find than a sample.
constexpr std::size_t few_doubles = 64;

template <class Term>
bool bounded_sum_of(const double* a, const double* b, std::size_t n, const void* next, bounded_sum& result) {
  result = {};
  const bool is_far = next != nullptr || is_prefetched<Term, double>(n);
  const prefetcher<Term, double> prefetch(a, b, n, next);
  const int of_first = exponent_of_first<Term>(a, b, n);
  if (of_first != unknown_exponent) {
    plain_load<Term, double> load(a, b);
    if (is_far ? add_bounded_blocks(load, n, of_first, result, prefetch)
               : add_bounded_blocks(load, n, of_first, result)) {
      return true;
    }
    result = {};
  }
  const product_sample sample = n <= few_doubles ? product_sample{} : sample_products<Term>(a, b, n, 8);
  const bool has_zero = sample.lowest == product_sample::of_zero;
  if (sample.highest == product_sample::of_zero && are_zero(plain_load<Term, double>(a, b), n)) return true;
  if (sample.moderate) {
    const bool are_alike = n > few_doubles && !has_zero && sample.highest - sample.lowest <= alike;
    plain_load<Term, double> load(a, b);
    const int exponent = are_alike ? sample.highest + sampling_margin : unknown_exponent;
    if (is_far ? add_bounded_blocks(load, n, exponent, result, prefetch)
               : add_bounded_blocks(load, n, exponent, result)) {
      return true;
    }
    result = {};
  }
  const product_scaling<Term> by(a, b, n);
  result.exponent = by.unit();
  const int exponent = exponent_by_sample<Term>(a, b, n, by);
  if (by.of_subnormals()) {
    scaled_load<Term, true> load(a, b, by);
    return add_bounded_blocks(load, n, exponent, result);
  }
  scaled_load<Term, false> load(a, b, by);
  return add_bounded_blocks(load, n, exponent, result);
}

template <class T, class Term>
bool bounded(const void* a, const void* b, std::size_t n, const void* next, bounded_sum& result) {
  return bounded_sum_of<Term>(static_cast<const T*>(a), static_cast<const T*>(b), n, next, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
