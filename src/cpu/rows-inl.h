// Bounded sums of many rows by one vector (cpu/bounded_sum.hpp): a matrix times a vector.
//
// Rows of a group share the loads of the vector, and the lanes of their sums are added together. A group, or up to
// 64 short rows, have one bound, so that a short row costs little more than its products. Cost per register:
// floats, of half a register, a conversion and a flop; doubles 4 flops and at most 1 logical operation; per row 1
// or 2 additions and 2 or 4 permutations.
//
// Floats. Products are exact in double. They are multiplied by a power of two 2^s, by which sums that are as
// large as the rows' are expected to be reach the end of the doubles' range. A sum that once reached it remains
// infinite or becomes NaN, so if the sums of a group's lanes together are finite, no addition rounded a number of
// 2^1024 or more: each lost at most 2^970, that is 2^(970-s) of the row's own sum. Terms were then below 2^1025 in
// magnitude. Products do not underflow: the factors are multiples of 2^-149, and s > 0.
//
// Doubles. An anchor c = 1.625·2^k and a lane's sum S, which starts at c: S' = S + x·y rounded, h = S' - S, r = x·y
// - h rounded. While the two highest fraction bits of S remain those of c, 2^k·1.5 <= S < 2^k·1.75, so S and S' are
// multiples of u = 2^(k-52), h is exact, and |x·y - h| <= u/2. The lanes' S - c are at most 2^(k-3) in magnitude,
// and at most 8 are added: the sum of all h is exact. What remains are the roundings of the residuals r and of
// their sums: summation_error for magnitudes u/2, and where a residual is subnormal up to 2^-1075 more, for which
// 2^-1000 a product is added. The bits of all S are compared with those of c, so infinities and NaNs are found.
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
#include <cpu/row_bounds.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t rows_of_group = row_bounds::max_group;
/// Rows of doubles that share the loads of the vector: of short ones as many as registers hold; of long ones fewer,
/// because lines of rows that lie far apart often compete for one set of a cache.
constexpr std::size_t long_rows_at_once = 4;
constexpr std::size_t short_row_elements = 256;
/// Rows that share a bound: of short ones more than a group, because a bound takes as long as some of them.
constexpr std::size_t short_rows_per_bound = 64;

/// The sums of the lanes of as many registers as there are lanes, in order.
template <class D>
HWY_INLINE vec<D> sums_of_lanes(D d, const vec<D>* of) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return of[0];
#else
  constexpr std::size_t lanes = hn::MaxLanes(D());
  static_assert(lanes == 2 || lanes == 4 || lanes == 8);
  const auto pairs = [&](vec<D> x, vec<D> y)
                         HWY_ATTR { return hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y)); };
  if constexpr (lanes == 2) return pairs(of[0], of[1]);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // lower numbers are wider ones
  const auto halves = [&](std::size_t x, std::size_t y) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(d, of[y], of[x]), hn::ConcatUpperUpper(d, of[y], of[x]));
  };
  if constexpr (lanes == 4) return pairs(halves(0, 2), halves(1, 3));
  if constexpr (lanes == 8) {
    const auto x = pairs(halves(0, 4), halves(1, 5)), y = pairs(halves(2, 6), halves(3, 7));
    return hn::OddEvenBlocks(hn::Add(y, hn::SwapAdjacentBlocks(y)), hn::Add(x, hn::SwapAdjacentBlocks(x)));
  }
#endif
#endif
}

/// to[r] = the sum of the lanes of of[r], for all rows of a group.
template <class D>
HWY_INLINE void store_sums_of_lanes(D d, const vec<D>* of, double* to) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  for (std::size_t r = 0; r < rows_of_group; r += lanes) hn::StoreU(sums_of_lanes(d, of + r), d, to + r);
}

/// Rows that lie `step` bytes apart.
template <class T>
struct row_group {
  const char* first;
  std::ptrdiff_t step;
  std::size_t count;

  [[nodiscard]] HWY_INLINE const T* row(std::size_t r) const {
    return reinterpret_cast<const T*>(first + static_cast<std::ptrdiff_t>(r) * step);
  }
  /// Up to `some` rows from r on.
  [[nodiscard]] HWY_INLINE row_group from(std::size_t r, std::size_t some) const {
    return {reinterpret_cast<const char*>(row(r)), step, std::min(count - r, some)};
  }
};

/// Some of them, in registers; of fewer the last one several times.
template <class T, std::size_t at_once>
struct rows_in_registers {
  const T* row[at_once];

  HWY_INLINE rows_in_registers(const row_group<T>& of, std::size_t from) {
    const T* next = of.row(from);
    for (std::size_t r = 0; r < at_once; ++r) {
      row[r] = next;
      if (from + r + 1 < of.count) {
        next = reinterpret_cast<const T*>(reinterpret_cast<const char*>(next) + of.step);
      }
    }
  }
};

/// What a block of elements adds to the sums of some rows.
struct row_error {
  double bound, largest;
};

/// exponent = one above the largest product of some rows and the vector's elements first … first + n - 1; with
/// is_sampled of a group's first ones. False if doubles have no room for sums of such products.
template <class T>
HWY_NOINLINE bool find_exponent(const row_group<T>& of, const T* b, std::size_t first, std::size_t n,
                                bool is_sampled, int& exponent) {
  constexpr std::size_t sample = 16;
  const hn::ScalableTag<double> d;
  auto largest = hn::Zero(d);
  for (std::size_t r = 0; r < (is_sampled ? std::min(of.count, rows_of_group) : of.count); ++r) {
    plain_load<core::product, T> load(of.row(r), b);
    largest = largest_addends(load, first, first + (is_sampled ? std::min(n, sample) : n), largest);
  }
  exponent = exponent_above(hn::GetLane(hn::MaxOfLanes(d, largest)));
  return exponent > lowest_sum_exponent && exponent <= highest_sum_exponent;
}

/// Whether all of the sums are below `limit` in magnitude.
HWY_INLINE bool are_below(const double* head, std::size_t count, double limit) {
  const hn::ScalableTag<double> d;
  for (std::size_t r = 0; r < count; r += hn::Lanes(d)) {
    if (!hn::AllTrue(d, hn::Lt(hn::Abs(hn::LoadU(d, head + r)), hn::Set(d, limit)))) return false;
  }
  return true;
}

/// Sums of rows of floats by a vector. The scale of a group serves the next ones too, while it suits them.
class float_rows {
 public:
  explicit float_rows(const float* b) : b_(b) {}

  /// Begins some rows' sums of elements first … first + n - 1, a block; false if this kind of sums does not suit
  /// the data. is_repeated: they were begun before, and end() returned false.
  HWY_INLINE bool begin(const row_group<float>& of, std::size_t first, std::size_t n, bool is_repeated) {
    is_new_ = !is_known_ || is_repeated;
    if (is_new_ && !find_scale(of, first, n, !is_repeated)) return false;
    if (is_new_ || first != first_) scale_vector(first, n);
    watch_ = hn::Zero(tag());
    return true;
  }

  /// The sums of a group.
  HWY_INLINE void add(const row_group<float>& of, double* head, double* tail) {
    const tag d;
    vec<tag> sums[rows_of_group];
    if (row_factor_ == 1) {
      add_rows<false>({of, 0}, sums);
    } else {
      add_rows<true>({of, 0}, sums);
    }
    store_sums_of_lanes(d, sums, head);
    for (std::size_t r = 0; r < rows_of_group; r += hn::Lanes(d)) {
      const auto sum = hn::LoadU(d, head + r);
      watch_ = hn::Add(watch_, hn::Sub(sum, sum));
      hn::StoreU(hn::Mul(hn::Mul(sum, hn::Set(d, down_[0])), hn::Set(d, down_[1])), d, head + r);
      hn::StoreU(hn::Zero(d), d, tail + r);
    }
  }

  /// The error of the rows begun, if it is known.
  HWY_INLINE bool end(row_error& to) {
    const auto terms = static_cast<double>(n_ + 2 * hn::Lanes(tag()));
    to.bound = terms * 0x1p970 * down_[0] * down_[1];
    to.largest = 0x1p1023 * down_[0] * down_[1] * 4;
    is_known_ = hn::AllTrue(tag(), hn::Eq(watch_, hn::Zero(tag())));
    return is_known_;
  }

  /// Forgets the scale where it was perhaps meant for much larger elements, by the sums of the rows begun.
  HWY_INLINE void look_at(const double* head, std::size_t count, const row_error& error) {
    if (!is_new_ && are_below(head, count, error.bound * 0x1p30)) is_known_ = false;
  }

 private:
  using tag = hn::CappedTag<double, 4>;  // registers whose conversions take one operation each
  static constexpr std::size_t lanes = hn::MaxLanes(tag()), unrolled = 4;

  template <bool whole>
  static HWY_INLINE vec<tag> load(const float* from, std::size_t i, std::size_t end) {
    return hn::PromoteTo(tag(), load_part<whole>(hn::Rebind<float, tag>(), from, i, end));
  }

  /// A scale by which a row's sum is below 2^1024, by the rows' largest product. Where the vector's elements would
  /// not be, the rows' have a part of it.
  HWY_NOINLINE bool find_scale(const row_group<float>& of, std::size_t first, std::size_t n, bool is_sampled) {
    int exponent = 0;
    is_known_ = find_exponent(of, b_, first, n, is_sampled, exponent);
    if (!is_known_) return false;
    const hn::ScalableTag<float> d;
    auto largest = hn::Zero(d);
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
      largest = hn::Max(largest, hn::Abs(hn::LoadU(d, b_ + first + i)));
    if (i < n) largest = hn::Max(largest, hn::Abs(load_part<false>(d, b_ + first, i, n)));
    const int up = 1024 - exponent - static_cast<int>(std::bit_width(n));
    const int of_vector = std::min(up, 1023 - exponent_above(hn::GetLane(hn::MaxOfLanes(d, largest))));
    row_factor_ = power_of_two(up - of_vector);
    up_[0] = power_of_two(of_vector / 2), up_[1] = power_of_two(of_vector - of_vector / 2);
    down_[0] = power_of_two(-(up / 2)), down_[1] = power_of_two(up / 2 - up);
    return true;
  }

  /// scaled_ = a block of the vector, with zeros behind it.
  HWY_NOINLINE void scale_vector(std::size_t first, std::size_t n) {
    const tag d;
    const auto x = hn::Set(d, up_[0]), y = hn::Set(d, up_[1]);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      hn::Store(hn::Mul(hn::Mul(load<true>(b_ + first, i, n), x), y), d, scaled_ + i);
    }
    if (i < n) hn::Store(hn::Mul(hn::Mul(load<false>(b_ + first, i, n), x), y), d, scaled_ + i);
    first_ = first, n_ = n;
  }

  template <bool scales>
  HWY_INLINE void add_rows(const rows_in_registers<float, rows_of_group>& rows, vec<tag>* to) const {
    vec<tag> sums[rows_of_group];
    for (auto& each : sums) each = hn::Zero(tag());
    std::size_t i = 0;
    for (; i + unrolled * lanes <= n_; i += unrolled * lanes) {
      for (std::size_t k = 0; k < unrolled; ++k) add_step<scales, true>(rows, i + k * lanes, sums);
    }
    for (; i + lanes <= n_; i += lanes) add_step<scales, true>(rows, i, sums);
    if (i < n_) add_step<scales, false>(rows, i, sums);
    for (std::size_t r = 0; r < rows_of_group; ++r) to[r] = sums[r];
  }
  template <bool scales, bool whole>
  HWY_INLINE void add_step(const rows_in_registers<float, rows_of_group>& rows, std::size_t i,
                           vec<tag>* sums) const {
    const auto y = in_register(hn::Load(tag(), scaled_ + i));
    for (std::size_t r = 0; r < rows_of_group; ++r) {
      auto x = load<whole>(rows.row[r] + first_, i, n_);
      if constexpr (scales) x = hn::Mul(x, hn::Set(tag(), row_factor_));
      sums[r] = fused_add(tag(), x, y, sums[r]);
    }
  }

  const float* b_;
  bool is_known_ = false, is_new_ = false;  // the scale; the latter to the rows begun
  double row_factor_ = 1, up_[2];           // of a row's elements; of the vector's, in factors that doubles hold
  double down_[2];                          // the inverse of the scale
  std::size_t first_ = 0, n_ = 0;           // the block in scaled_
  vec<tag> watch_;                          // 0 while the sums of the rows begun are finite
  HWY_ALIGN double scaled_[bounded_block + lanes];
};

/// Sums of rows of doubles by a vector. The anchor of a group serves the next ones too, while it suits them.
/// tag: registers; at_once: rows that share the loads of the vector.
template <class tag, std::size_t at_once>
class double_rows {
 public:
  explicit double_rows(const double* b) : b_(b) {}

  /// See float_rows.
  HWY_INLINE bool begin(const row_group<double>& of, std::size_t first, std::size_t n, bool is_repeated) {
    is_new_ = anchor_exponent_ == unknown_exponent || is_repeated;
    if (is_new_ && !find_anchor(of, first, n, !is_repeated)) return false;
    first_ = first, n_ = n;
    changed_ = hn::Zero(bits());
    return true;
  }

  HWY_INLINE void add(const row_group<double>& of, double* head, double* tail) {
    const tag d;
    vec<tag> heads[rows_of_group], tails[rows_of_group];
    for (std::size_t r = 0; r < rows_of_group; r += at_once) {
      if (r < of.count) {
        add_rows({of, r}, heads + r, tails + r);
      } else {
        for (std::size_t i = r; i < r + at_once; ++i) heads[i] = tails[i] = hn::Zero(d);
      }
    }
    store_sums_of_lanes(d, heads, head);
    store_sums_of_lanes(d, tails, tail);
  }

  HWY_INLINE bool end(row_error& to) {
    const double half_unit = power_of_two(anchor_exponent_ - 53), terms = static_cast<double>(n_);
    to.bound = summation_error(n_ / hn::Lanes(tag()) + 2, hn::Lanes(tag()), terms * half_unit) +
               terms * underflow_of<core::product, double>;
    to.largest = power_of_two(anchor_exponent_ - fraction_bits);  // the interval of a lane's sum is as long
    const auto left = hn::ShiftRight<52 - fraction_bits>(changed_);
    if (hn::AllTrue(bits(), hn::Eq(left, hn::Zero(bits())))) return true;
    anchor_exponent_ = unknown_exponent;
    return false;
  }

  /// Forgets the anchor where it was perhaps meant for much larger elements, by the sums of the rows begun.
  HWY_INLINE void look_at(const double* head, std::size_t count, const row_error& error) {
    if (!is_new_ && are_below(head, count, error.bound * 0x1p60)) anchor_exponent_ = unknown_exponent;
  }

 private:
  using bits = hn::RebindToUnsigned<tag>;
  static constexpr int fraction_bits = 2;  // of a lane's sum, that remain those of the anchor

  struct row_sums {
    vec<tag> sum[at_once], residual[at_once];
    vec<bits> changed;
  };

  /// An anchor that holds the sums of these rows.
  bool find_anchor(const row_group<double>& of, std::size_t first, std::size_t n, bool is_sampled) {
    int exponent = 0;
    if (!find_exponent(of, b_, first, n, is_sampled, exponent)) return false;
    const auto steps = static_cast<int>(std::bit_width(n / hn::Lanes(tag()) + 1));
    anchor_exponent_ = exponent + steps + fraction_bits + 2;
    return true;
  }

  HWY_INLINE void add_rows(const rows_in_registers<double, at_once>& rows, vec<tag>* heads, vec<tag>* tails) {
    const auto anchor = hn::Set(tag(), 1.625 * power_of_two(anchor_exponent_));
    row_sums to;
    for (std::size_t r = 0; r < at_once; ++r) to.sum[r] = anchor, to.residual[r] = hn::Zero(tag());
    to.changed = changed_;
    std::size_t i = first_;
    const std::size_t end = first_ + n_;
    for (; i + hn::Lanes(tag()) <= end; i += hn::Lanes(tag())) add_step<true>(rows, i, end, anchor, to);
    if (i < end) add_step<false>(rows, i, end, anchor, to);
    for (std::size_t r = 0; r < at_once; ++r) {
      heads[r] = hn::Sub(to.sum[r], anchor);
      tails[r] = to.residual[r];
    }
    changed_ = to.changed;
  }
  template <bool whole>
  HWY_INLINE void add_step(const rows_in_registers<double, at_once>& rows, std::size_t i, std::size_t end,
                           vec<tag> anchor, row_sums& to) const {
    const tag d;
    const auto y = load_part<whole>(d, b_, i, end);
    for (std::size_t r = 0; r < at_once; ++r) {
      const auto x = in_register(load_part<whole>(d, rows.row[r], i, end));
      const auto next = fused_add(d, x, y, to.sum[r]), high = hn::Sub(next, to.sum[r]);
      to.residual[r] = hn::Add(to.residual[r], fused_subtract(d, x, y, high));
      to.sum[r] = next;
      to.changed = hn::Or(to.changed, hn::Xor(hn::BitCast(bits(), next), hn::BitCast(bits(), anchor)));
    }
  }

  const double* b_;
  int anchor_exponent_ = unknown_exponent;
  bool is_new_ = false;            // the anchor, to the rows begun
  std::size_t first_ = 0, n_ = 0;  // their elements
  vec<bits> changed_;              // bits of their lanes' sums that were not always those of the anchor
};

/// Prefetches short rows that are read some groups after these: the order of such rows is none that a processor
/// sees.
template <class T>
HWY_INLINE void prefetch_rows_after(const row_group<T>& of, std::size_t n) {
  const std::size_t bytes = n * sizeof(T), distance = std::max(rows_of_group, ahead / bytes);
  if (bytes > ahead_in_row) return;
  for (std::size_t r = 0; r < of.count; ++r) {
    const auto* const row = reinterpret_cast<const char*>(of.row(r + distance));
    for (std::size_t byte = 0; byte < bytes; byte += 64) hwy::Prefetch(row + byte);
  }
}

/// head, tail, error = the sums of some rows over a block. False if nothing is known.
template <class Rows, class T>
HWY_INLINE bool sum_block(Rows& rows, const row_group<T>& of, std::size_t first, std::size_t n, bool is_far,
                          double* head, double* tail, row_error& error) {
  for (const bool is_repeated : {false, true}) {
    if (!rows.begin(of, first, n, is_repeated)) continue;
    for (std::size_t r = 0; r < of.count; r += rows_of_group) {
      if (is_far) prefetch_rows_after(of.from(r, rows_of_group), n);
      rows.add(of.from(r, rows_of_group), head + r, tail + r);
    }
    if (!rows.end(error)) continue;
    rows.look_at(head, of.count, error);
    return true;
  }
  return false;
}

/// to = the sums of a group's rows of any length, block by block.
template <class Rows, class T>
void sum_blocks(Rows& rows, const row_group<T>& of, std::size_t n, const row_bounds& to) {
  bounded_sum total[rows_of_group];
  bool is_known = true;
  for (std::size_t first = 0; first < n && is_known; first += bounded_block) {
    double head[rows_of_group], tail[rows_of_group];
    row_error error;
    is_known = sum_block(rows, of, first, std::min(n - first, bounded_block), false, head, tail, error);
    for (std::size_t r = 0; r < of.count && is_known; ++r) {
      add(total[r], head[r], tail[r], error.bound);
      total[r].largest = std::max(total[r].largest, error.largest);
    }
  }
  for (std::size_t r = 0; r < of.count; ++r) {
    to.head[r] = total[r].head, to.tail[r] = total[r].tail, to.largest[r] = total[r].largest;
    to.bound[r] = is_known ? total[r].bound : HUGE_VAL;
  }
}

/// to = the sums of all rows by b; `at_once` of up to a block share a bound.
template <class Rows, class T>
HWY_NOINLINE void sum_rows(const row_group<T>& all, const T* b, std::size_t n, std::size_t at_once, bool is_far,
                           const row_bounds& to) {
  Rows rows(b);
  for (std::size_t r = 0; r < all.count; r += at_once) {
    const row_group<T> some = all.from(r, at_once);
    const row_bounds found = to.from(r);
    if (n > bounded_block) {
      sum_blocks(rows, some, n, found);
      continue;
    }
    row_error error;
    if (!sum_block(rows, some, 0, n, is_far, found.head, found.tail, error)) error = {HUGE_VAL, HUGE_VAL};
    std::fill_n(found.bound, some.count, error.bound);
    std::fill_n(found.largest, some.count, error.largest);
  }
}

/// See kernels::bounded_rows.
template <class T>
void bounded_rows(const void* a, std::ptrdiff_t step, std::size_t count, const void* b, std::size_t n, bool is_far,
                  const row_bounds& to) {
  const row_group<T> all{static_cast<const char*>(a), step, count};
  const auto* const vector = static_cast<const T*>(b);
  const bool are_short = n <= short_row_elements;
  const std::size_t at_once = are_short ? short_rows_per_bound : rows_of_group;
  using tag = hn::ScalableTag<double>;
  if constexpr (std::is_same_v<T, float>) {
    sum_rows<float_rows>(all, vector, n, at_once, is_far, to);
  } else if (are_short) {
    sum_rows<double_rows<tag, std::max(long_rows_at_once, hn::MaxLanes(tag()))>>(all, vector, n, at_once, is_far,
                                                                                 to);
  } else {
    sum_rows<double_rows<tag, long_rows_at_once>>(all, vector, n, at_once, is_far, to);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
