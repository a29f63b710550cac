// The exact vector kernel: the sum of a block's addends, exact, as a few integers.
//
// Addends pass through chains of anchored levels (window.hpp), two chains per stream so that their latencies
// overlap. The kernel can check the products' exponents as it reads; the sums of a block that fails the check are
// discarded. Cost with the check: 12 operations per vector of doubles; 11 and four conversions per vector of
// floats.
#if defined(EXACTDOT_CPU_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_BLOCK_INL_H_
#undef EXACTDOT_CPU_BLOCK_INL_H_
#else
#define EXACTDOT_CPU_BLOCK_INL_H_
#endif

#include <cpu/exponents-inl.h>
#include <cpu/simd-inl.h>

#include <cpu/window.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// One chain of anchors for one stream of addends.
struct anchors {
  static constexpr int levels = window_levels;
  using tag = hn::ScalableTag<double>;
  using v = hn::Vec<tag>;
  v sum[levels];

  HWY_INLINE anchors() {}  // not implicit: g++ would compile it for another target than its members'

  HWY_INLINE void start(int exponent) {
    for (int i = 0; i < levels; ++i) sum[i] = hn::Set(tag(), anchor(exponent, i));
  }

  static HWY_INLINE double anchor(int exponent, int level) {
    return 1.5 * power_of_two(anchor_exponent(exponent, level));
  }

  HWY_INLINE void add_from(int level, v addend) {
    for (; level < levels - 1; ++level) {
      const v next = hn::Add(sum[level], addend);
      addend = hn::Sub(addend, hn::Sub(next, sum[level]));
      sum[level] = next;
    }
    sum[levels - 1] = hn::Add(sum[levels - 1], addend);
  }

  HWY_INLINE void add(v addend) { add_from(0, addend); }

  /// Adds x·y, which a double holds exactly.
  HWY_INLINE void add_product(const factors<v>& of) {
    const tag d;
    const v next = fused_add(d, of.x, of.y, sum[0]);
    const v residual = fused_subtract(d, of.x, of.y, hn::Sub(next, sum[0]));
    sum[0] = next;
    add_from(1, residual);
  }

  /// sums[i] += the sum of level i, in its unit: the difference of the bits, because the binade is the same.
  HWY_INLINE void collect(int exponent, std::int64_t* sums) const {
    const hn::RebindToSigned<tag> di;
    for (int i = 0; i < levels; ++i) {
      const auto start_bits = hn::BitCast(di, hn::Set(tag(), anchor(exponent, i)));
      sums[i] += hn::GetLane(hn::SumOfLanes(di, hn::Sub(hn::BitCast(di, sum[i]), start_bits)));
    }
  }
};

/// Ors the exponent fields of rounded products, shifted so that those in the window have their high bits clear.
template <class T>
struct window_check {
  using tag = hn::ScalableTag<T>;
  using integer_tag = hn::RebindToSigned<tag>;
  using integer = hn::TFromD<integer_tag>;
  static constexpr int stored = core::format<T>::precision - 1;
  static constexpr int bias = core::format<T>::highest_exponent - 1;
  static constexpr integer outside =
      static_cast<integer>(((std::uint64_t{1} << core::format<T>::exponent_bits) - checked_span) << stored);

  hn::Vec<integer_tag> shift;
  hn::Vec<integer_tag> seen = hn::Zero(integer_tag());

  HWY_INLINE explicit window_check(int exponent)
      : shift(hn::Set(
            integer_tag(),
            static_cast<integer>(0 - (static_cast<std::uint64_t>(exponent - checked_span + bias) << stored)))) {}

  HWY_INLINE hn::Vec<integer_tag> shifted(hn::Vec<tag> product) const {
    return hn::Add(hn::BitCast(integer_tag(), product), shift);
  }
  /// Includes the first `count` lanes, or all of them.
  template <bool whole>
  HWY_INLINE void update(hn::Vec<tag> product, std::size_t count) {
    if constexpr (whole) {
      seen = hn::Or(seen, shifted(product));
    } else {
      const auto mask = hn::RebindMask(integer_tag(), hn::FirstN(tag(), count));
      seen = hn::Or(seen, hn::IfThenElseZero(mask, shifted(product)));
    }
  }
  HWY_INLINE bool passed() const {
    const integer_tag d;
    return hn::AllTrue(d, hn::Eq(hn::And(seen, hn::Set(d, outside)), hn::Zero(d)));
  }
};

/// Two sets of anchors for the products of one block, and for doubles two more for the errors of the products.
template <class T>
struct block_sums {
  anchors product0, product1, error0, error1;

  HWY_INLINE explicit block_sums(int exponent) {
    product0.start(exponent), product1.start(exponent);
    if constexpr (!core::carrier<T>::product_fits_double) error0.start(exponent - 53), error1.start(exponent - 53);
  }

  HWY_INLINE void collect(int exponent, std::int64_t* sums) const {
    product0.collect(exponent, sums), product1.collect(exponent, sums);
    if constexpr (!core::carrier<T>::product_fits_double)
      error0.collect(exponent - 53, sums + window_levels), error1.collect(exponent - 53, sums + window_levels);
  }
};

/// Elements that one call of add_products takes.
template <class T>
constexpr std::size_t step_width = core::carrier<T>::product_fits_double ? float_pair
                                                                         : hn::MaxLanes(hn::ScalableTag<double>());

/// Adds the step_width products from a and b on, of which `count` exist (all, if `whole`), to one set of anchors
/// (a float_pair feeds both); shows the rounded products to `check`.
template <class Term, bool whole, bool checked, int set>
HWY_INLINE void add_products(block_sums<double>& sums, window_check<double>& check, const double* a,
                             const double* b, std::size_t count) {
  const hn::ScalableTag<double> d;
  const auto of = load_factors<Term, whole>(d, a, b, 0, count);
  const auto product = hn::Mul(of.x, of.y);
  const auto error = fused_subtract(d, of.x, of.y, product);
  (set == 0 ? sums.product0 : sums.product1).add(product);
  (set == 0 ? sums.error0 : sums.error1).add(error);
  if constexpr (checked) check.template update<whole>(product, count);
}

template <class Term, bool whole, bool checked, int>
HWY_INLINE void add_products(block_sums<float>& sums, window_check<float>& check, const float* a, const float* b,
                             std::size_t count) {
  constexpr std::size_t middle = float_pair / 2;
  sums.product0.add_product(load_promoted_factors<Term, whole>(a, b, 0, count));
  sums.product1.add_product(load_promoted_factors<Term, whole>(a, b, middle, count));
  if constexpr (checked) {
    const hn::ScalableTag<float> d;
    for (std::size_t first = 0; first < float_pair; first += hn::Lanes(d)) {
      const auto of = load_factors<Term, whole>(d, a, b, first, count);
      check.template update<whole>(hn::Mul(of.x, of.y), lanes_left(d, first, count));
    }
  }
}

/// Adds a block of up to block_length products below 2^exponent to `sums`. If `checked`: false, and `sums`
/// unchanged, if a product lies outside [2^(exponent - checked_span), 2^exponent).
template <class Term, bool checked, class T>
bool add_block(const T* a, const T* b, std::size_t n, int exponent, std::int64_t* sums) {
  constexpr std::size_t width = step_width<T>;
  block_sums<T> block(exponent);
  window_check<T> check(checked ? exponent : 0);
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    prefetch_ahead<far_ahead>(a + i, 2 * width);
    if constexpr (Term::inputs == 2) prefetch_ahead<far_ahead>(b + i, 2 * width);
    add_products<Term, true, checked, 0>(block, check, a + i, b + i, width);
    add_products<Term, true, checked, 1>(block, check, a + i + width, b + i + width, width);
  }
  for (; i < n; i += width) add_products<Term, false, checked, 0>(block, check, a + i, b + i, n - i);
  if (checked && !check.passed()) return false;
  block.collect(exponent, sums);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
