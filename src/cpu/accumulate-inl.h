// The exact state of a run of elements, block by block. Each block takes the cheapest path that holds it exactly:
//
// 1. reused window: the window of the last block; the products' exponents are checked as they are read;
// 2. computed window: a pass over the block finds its exponents, zeros aside, and scales extreme ones by powers of
// 2;
// 3. integers: products of significands added to the limbs; for wide exponents, infinities and NaNs.
#if defined(EXACTDOT_CPU_ACCUMULATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_ACCUMULATE_INL_H_
#undef EXACTDOT_CPU_ACCUMULATE_INL_H_
#else
#define EXACTDOT_CPU_ACCUMULATE_INL_H_
#endif

#include <cpu/block-inl.h>
#include <cpu/exponents-inl.h>
#include <cpu/extract-inl.h>

#include <exactdot/core/state.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// No lane of an anchor takes more than 2^additions_exponent addends of a block, and a few of its tail.
constexpr std::size_t block_length =
    std::min(window_block, (std::size_t{2} << additions_exponent) * hn::MaxLanes(hn::ScalableTag<double>()));

/// words += up to additions_between_normalisations addends, in integers.
template <class T, class Term>
void accumulate_integers(const void* a, const void* b, std::size_t n, std::int64_t* words) {
  const auto element = [](const void* x, std::size_t i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(x) + i * sizeof(T), sizeof value);  // any alignment
    return value;
  };
  for (std::size_t i = 0; i < n; ++i) {
    core::add_term<T>(words, core::exact_addend<Term>(element(a, i), element(b, i)));
  }
}

/// One pass over part of the vectors, on one thread.
template <class T, class Term>
class accumulation {
 public:
  explicit accumulation(std::int64_t* words) : words_(words) {}

  void run(const T* a, const T* b, std::size_t n) {
    while (n != 0) {
      const std::size_t count = std::min(n, block_length);
      if (!add_in_reused_window(a, b, count) && !add_in_computed_window(a, b, count)) add_integers(a, b, count);
      a += count, b += count, n -= count;
    }
    flush<T>(sums_, words_);
    core::normalise(core::layout_of<T>(), words_);
  }

 private:
  // After two consecutive failures a path is tried only in every 32nd block, so that hostile data costs few
  // attempts.
  struct retry_policy {
    static constexpr int period = 32;
    int failures = 0;
    int waiting = 0;

    bool allows() { return waiting == 0 || --waiting == 0; }
    bool record(bool success) {
      failures = success ? 0 : failures + 1;
      if (failures >= 2) waiting = period;
      return success;
    }
  };

  /// Makes sums_ those of this window; flushes them first if they belong to another window or are full.
  void use_window(int exponent, int shift) {
    const bool same = sums_.exponent == exponent && sums_.shift == shift;
    if (!same || sums_.blocks >= window_sums::max_blocks) flush<T>(sums_, words_);
    count_additions();
    sums_.exponent = exponent, sums_.shift = shift;
    ++sums_.blocks;
  }

  bool add_in_reused_window(const T* a, const T* b, std::size_t n) {
    if (!has_window_ || !reused_window_.allows()) return false;
    use_window(window_exponent_, 0);
    return reused_window_.record(add_block<Term, true>(a, b, n, window_exponent_, sums_.sum));
  }

  bool add_in_computed_window(const T* a, const T* b, std::size_t n) {
    return computed_window_.allows() && computed_window_.record(find_window_and_add(a, b, n));
  }

  bool find_window_and_add(const T* a, const T* b, std::size_t n) {
    const exponent_range x = exponent_range_of<T>(a, n);
    constexpr exponent_range one{.finite = true, .zero = false, .lowest = 0, .highest = 1};
    const exponent_range y = Term::inputs == 2 ? exponent_range_of<T>(b, n) : Term::factors == 2 ? x : one;
    if (!x.finite || !y.finite) return false;
    if (x.zero || y.zero) return true;
    exponent_range products{.zero = false, .lowest = x.lowest + y.lowest, .highest = x.highest + y.highest};
    if (in_range(x) && in_range(y) && span(products) <= widest_span) {
      add_in_window<Term>(a, b, n, products, 0);
    } else {
      products = product_exponents<Term, true>(a, b, n);
      if (products.zero) return true;
      if (span(products) > widest_span) return false;
      if constexpr (core::carrier<T>::product_fits_double) {
        add_in_window<Term>(a, b, n, products, 0);
      } else {
        HWY_ALIGN double left[block_length + hn::MaxLanes(hn::ScalableTag<double>())], right[std::size(left)];
        scale_products<Term>(a, b, n, products.highest, left, right);
        add_in_window<core::product>(left, right, n, products, products.highest);
      }
    }
    choose_window(products);
    return true;
  }

  static constexpr int max_levels = 8, widest_span = extraction_span<T>(max_levels);

  /// Whether products and all their levels stay normal doubles. Those of floats always do.
  static bool in_range(const exponent_range& x) {
    return core::carrier<T>::product_fits_double || (x.highest >= -200 && x.highest <= 400);
  }

  static int span(const exponent_range& range) { return range.highest - range.lowest; }

  /// Adds a block of products, 2^-shift times those in this range.
  template <class Factors>
  void add_in_window(const T* a, const T* b, std::size_t n, const exponent_range& range, int shift) {
    const int exponent = range.highest - shift;
    if (span(range) <= window_span<T>) {
      use_window(exponent, shift);
      add_block<Factors, false>(a, b, n, exponent, sums_.sum);
    } else if (span(range) <= extraction_span<T>(4)) {
      add_in_levels<Factors, 4>(a, b, n, exponent, shift);
    } else if (span(range) <= extraction_span<T>(6)) {
      add_in_levels<Factors, 6>(a, b, n, exponent, shift);
    } else {
      add_in_levels<Factors, max_levels>(a, b, n, exponent, shift);
    }
  }

  template <class Factors, int levels>
  void add_in_levels(const T* a, const T* b, std::size_t n, int exponent, int shift) {
    std::int64_t level[levels];
    plain_load<Factors, T> load(a, b);
    extract_block<Factors, levels, T>(load, 0, n, exponent, level);
    for (int j = 0; j < levels; ++j) add_level<T>(level[j], extraction_unit(exponent, j) + shift, words_);
    count_additions();
  }

  /// The window to reuse: one exponent of margin above this block, unless the old window would have held it.
  void choose_window(const exponent_range& range) {
    const bool fits =
        has_window_ && range.highest <= window_exponent_ && range.lowest >= window_exponent_ - checked_span;
    if (!fits) window_exponent_ = range.highest + 1;
    has_window_ =
        window_exponent_ >= core::carrier<T>::lowest_window && window_exponent_ <= core::carrier<T>::highest_window;
  }

  void add_integers(const T* a, const T* b, std::size_t n) {
    accumulate_integers<T, Term>(a, b, n, words_);
    count_additions();
  }

  /// A block makes at most block_length additions to the limbs.
  void count_additions() {
    if (++blocks_ < core::additions_between_normalisations / (2 * block_length)) return;
    core::normalise(core::layout_of<T>(), words_);
    blocks_ = 0;
  }

  std::int64_t* words_;
  window_sums sums_;
  retry_policy reused_window_, computed_window_;
  bool has_window_ = false;
  int window_exponent_ = 0;
  std::uint64_t blocks_ = 0;
};

template <class T, class Term>
void accumulate(const void* a, const void* b, std::size_t n, std::int64_t* words) {
  accumulation<T, Term>(words).run(static_cast<const T*>(a), static_cast<const T*>(b), n);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
