// The exact state of a run of elements, block by block, each on the cheapest road that holds it exactly.
//
// 1. checked: the window of the last block; the products' exponents are checked on the way;
// 2. measured: a pass over the block finds its exponents, zeros aside; extreme ones are scaled by powers of two;
// 3. integers: products of significands into the limbs, for blocks that spread too wide, infinities and NaNs.
#if defined(EXACTDOT_CPU_ACCUMULATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_ACCUMULATE_INL_H_
#undef EXACTDOT_CPU_ACCUMULATE_INL_H_
#else
#define EXACTDOT_CPU_ACCUMULATE_INL_H_
#endif

#include <cpu/block-inl.h>
#include <cpu/measure-inl.h>

#include <core/state.hpp>
#include <cpu/engine.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// No lane of an anchor takes more than 2^additions_exponent terms of a block, and a few of its tail.
constexpr std::size_t block_length =
    std::min(window_block, (std::size_t{2} << additions_exponent) * hn::MaxLanes(hn::ScalableTag<double>()));

/// One run over part of the vectors, on one thread.
template <class T>
class accumulation {
 public:
  accumulation(std::int64_t* words, bool may_give_up) : words_(words), may_give_up_(may_give_up) {}

  bool run(const T* a, const T* b, std::size_t n) {
    while (n != 0) {
      const std::size_t count = std::min(n, block_length);
      if (!add_checked(a, b, count) && !add_measured(a, b, count)) {
        if (may_give_up_ && !not_finite_) return false;
        add_integers(a, b, count);
      }
      a += count, b += count, n -= count;
    }
    flush<T>(sums_, words_);
    core::normalise(core::limbs_of<T>(words_));
    return true;
  }

 private:
  // A road that failed twice running is tried again only every 32nd block, so that hostile data pays little for the
  // tries.
  struct road {
    static constexpr int period = 32;
    int failures = 0;
    int waiting = 0;

    bool open() { return waiting == 0 || --waiting == 0; }
    bool report(bool success) {
      failures = success ? 0 : failures + 1;
      if (failures >= 2) waiting = period;
      return success;
    }
  };

  /// Makes sums_ those of this window, emptied into the words if they were another's or are full.
  void use_window(int exponent, int shift, int levels) {
    const bool same = sums_.exponent == exponent && sums_.shift == shift && sums_.levels == levels;
    if (!same || sums_.blocks >= window_sums::largest_blocks) flush<T>(sums_, words_);
    count_additions();
    sums_.exponent = exponent, sums_.shift = shift, sums_.levels = levels;
    ++sums_.blocks;
  }

  bool add_checked(const T* a, const T* b, std::size_t n) {
    if (!has_window_ || !checked_.open()) return false;
    use_window(window_exponent_, 0, 2);
    return checked_.report(add_block<2, true>(a, b, n, window_exponent_, unscaled(), sums_.sum));
  }

  bool add_measured(const T* a, const T* b, std::size_t n) {
    not_finite_ = false;
    return measured_.open() && measured_.report(measure_and_add(a, b, n));
  }

  bool measure_and_add(const T* a, const T* b, std::size_t n) {
    const exponent_range x = measure<T>(a, n), y = measure<T>(b, n);
    not_finite_ = !x.finite || !y.finite;
    if (not_finite_) return false;
    if (x.zero || y.zero) return true;
    exponent_range products{.zero = false, .lowest = x.lowest + y.lowest, .highest = x.highest + y.highest};
    if (in_range(x) && in_range(y) && span(products) <= window_span<T>(largest_level_count)) {
      add_in_window(a, b, n, products, 0, unscaled());
    } else {
      products = measure_products<true>(a, b, n);
      if (products.zero) return true;
      if (span(products) > window_span<T>(largest_level_count)) return false;
      if constexpr (core::traits<T>::product_fits_double) {
        add_in_window(a, b, n, products, 0, unscaled());
      } else {
        add_in_window(a, b, n, products, products.highest, product_scale(products.highest));
      }
    }
    choose_window(products);
    return true;
  }

  /// Whether products and all their levels stay normal doubles. Those of floats always do.
  static bool in_range(const exponent_range& x) {
    return core::traits<T>::product_fits_double || (x.highest >= -400 && x.highest <= 400);
  }

  static int span(const exponent_range& range) { return range.highest - range.lowest; }

  /// Adds a block of products in this range; `scale` multiplies them by 2^-shift.
  template <class Scale>
  void add_in_window(const T* a, const T* b, std::size_t n, const exponent_range& range, int shift,
                     const Scale& scale) {
    const int exponent = range.highest - shift;
    const int levels = span(range) <= window_span<T>(2) ? 2 : 3;
    use_window(exponent, shift, levels);
    if (levels == 2) {
      add_block<2, false>(a, b, n, exponent, scale, sums_.sum);
    } else {
      add_block<3, false>(a, b, n, exponent, scale, sums_.sum);
    }
  }

  /// The window for the checked road: one exponent of room above this block, unless the old one would have served.
  void choose_window(const exponent_range& range) {
    const bool serves =
        has_window_ && range.highest <= window_exponent_ && range.lowest >= window_exponent_ - checked_span;
    if (!serves) window_exponent_ = range.highest + 1;
    has_window_ =
        window_exponent_ >= core::traits<T>::lowest_window && window_exponent_ <= core::traits<T>::highest_window;
  }

  void add_integers(const T* a, const T* b, std::size_t n) {
    add_integer_products(a, b, n, words_);
    count_additions();
  }

  /// A block makes at most block_length additions to the limbs.
  void count_additions() {
    if (++blocks_ < core::additions_between_normalisations / (2 * block_length)) return;
    core::normalise(core::limbs_of<T>(words_));
    blocks_ = 0;
  }

  std::int64_t* words_;
  bool may_give_up_;
  bool not_finite_ = false;
  window_sums sums_;
  road checked_, measured_;
  bool has_window_ = false;
  int window_exponent_ = 0;
  std::uint64_t blocks_ = 0;
};

template <class T>
bool accumulate(const T* a, const T* b, std::size_t n, std::int64_t* words, bool may_give_up) {
  return accumulation<T>(words, may_give_up).run(a, b, n);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
