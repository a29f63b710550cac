// Bounded sums of some rows of floats by one vector (cpu/bounded-inl.h), which is read and converted once for all
// of them: a matrix times a vector.
//
// Cost per register of floats and row: 2 conversions and 3 flops, and a share of 2 conversions and 1 flop; a row
// alone takes 4 and 4.
#if defined(EXACTDOT_CPU_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_ROWS_INL_H_
#undef EXACTDOT_CPU_ROWS_INL_H_
#else
#define EXACTDOT_CPU_ROWS_INL_H_
#endif

#include <cpu/bounded-inl.h>
#include <cpu/simd-inl.h>

#include <algorithm>
#include <cpu/kernels.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Some rows and the vector that they share.
template <class Term>
class row_group {
 public:
  static constexpr std::size_t rows = kernels::rows_at_once;

  HWY_INLINE row_group(const char* a, std::ptrdiff_t step, const float* b) : b_(b) {
    for (std::size_t r = 0; r < rows; ++r, a += step) a_[r] = reinterpret_cast<const float*>(a);
  }

  HWY_INLINE bool start_moderate(std::size_t n) const {
    bool all = starts_moderate(b_, n);
    for (std::size_t r = 0; r < rows && all; ++r) all = starts_moderate(a_[r], n);
    return all;
  }

  /// result[r] += the sum of `count` elements of row r from `first` on, a block. False if this kind of sums does
  /// not suit the data.
  template <bool any_size>
  HWY_INLINE bool add_block(std::size_t first, std::size_t count, bounded_sum* result) const {
    constexpr std::size_t width = float_pair;
    sums<any_size> of[rows];
    vec<float_tag> squares_b = hn::Zero(float_tag());
    std::size_t i = 0;
    for (; i + width <= count; i += width) step<true>(first + i, width, of, squares_b);
    if (i < count) step<false>(first + i, count - i, of, squares_b);
    const double size_b = any_size ? 0 : sum_lanes(float_tag(), squares_b);
    for (std::size_t r = 0; r < rows; ++r) {
      const double magnitudes = of[r].bound(size_b);
      const double error = summation_error(count / width + 2, 2 * width, magnitudes);
      if (!(error < HUGE_VAL)) return false;
      result[r].largest = std::max(result[r].largest, magnitudes);
      add(result[r], sum_lanes(tag(), hn::Add(of[r].low, of[r].high)), 0, error);
    }
    return true;
  }

 private:
  using tag = hn::ScalableTag<double>;
  using float_tag = hn::ScalableTag<float>;

  template <bool any_size>
  struct sums {  // of one row, as float_sums
    vec<tag> low, high, magnitude;
    vec<float_tag> squares;

    HWY_INLINE sums() {
      low = high = magnitude = hn::Zero(tag());
      squares = hn::Zero(float_tag());
    }
    HWY_INLINE double bound(double size_b) const {
      if constexpr (any_size) return sum_lanes(tag(), magnitude) * 1.0625;
      const double size = sum_lanes(float_tag(), squares);
      return size > 0x1p-100 && size_b > 0x1p-100 ? std::sqrt(size * size_b) * 1.0625 : HUGE_VAL;
    }
  };

  template <bool whole, bool any_size>
  HWY_INLINE void step(std::size_t i, std::size_t count, sums<any_size>* of, vec<float_tag>& squares_b) const {
    const tag d;
    constexpr std::size_t middle = float_pair / 2;
    const auto low = load_promoted<whole>(b_ + i, 0, count), high = load_promoted<whole>(b_ + i, middle, count);
    if constexpr (!any_size) squares_b = add_squares<whole>(b_ + i, count, squares_b);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* const a = a_[r] + i;
      const auto x = factors_of<Term>(d, load_promoted<whole>(a, 0, count), low),
                 y = factors_of<Term>(d, load_promoted<whole>(a, middle, count), high);
      of[r].low = fused_add(d, x.x, x.y, of[r].low);
      of[r].high = fused_add(d, y.x, y.y, of[r].high);
      if constexpr (any_size) {
        of[r].magnitude = fused_add(d, hn::Abs(x.x), hn::Abs(x.y), of[r].magnitude);
        of[r].magnitude = fused_add(d, hn::Abs(y.x), hn::Abs(y.y), of[r].magnitude);
      } else {
        of[r].squares = add_squares<whole>(a, count, of[r].squares);
      }
    }
  }

  template <bool whole>
  static HWY_INLINE vec<float_tag> add_squares(const float* x, std::size_t count, vec<float_tag> sum) {
    const float_tag f;
    for (std::size_t first = 0; first < float_pair; first += hn::Lanes(f)) {
      const auto of = load_part<whole>(f, x, first, count);
      sum = fused_add(f, of, of, sum);
    }
    return sum;
  }

  const float *a_[rows], *b_;
};

template <class Term, bool any_size>
bool bounded_group_sums(const row_group<Term>& of, std::size_t n, bounded_sum* result) {
  std::fill_n(result, kernels::rows_at_once, bounded_sum{});
  for (std::size_t first = 0; first < n; first += bounded_block) {
    if (!of.template add_block<any_size>(first, std::min(n - first, bounded_block), result)) return false;
  }
  return true;
}

template <class Term>
bool bounded_rows(const void* a, std::ptrdiff_t step, const void* b, std::size_t n, bounded_sum* result) {
  const row_group<Term> of(static_cast<const char*>(a), step, static_cast<const float*>(b));
  const bool moderate = n > short_vector && of.start_moderate(n);
  return (moderate && bounded_group_sums<Term, false>(of, n, result)) ||
         bounded_group_sums<Term, true>(of, n, result);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
