// Bounded sums of many rows by one vector (cpu/bounded_sum.hpp): a matrix times a vector.
//
// Four rows at a time, or a group of short ones, share the loads of the vector. The lanes of a group's sums are
// added together. A group, or up to 64 short rows, have one bound and one anchor, so that a short row costs little
// more than its products. Cost per register: floats 2 conversions and 3 flops, and a quarter or eighth of 2
// conversions; doubles 4 flops and at most 1 logical operation; per row 1 or 2 additions and 2 or 4 permutations.
//
// Floats. Products are exact in double. A lane adds at most n / lanes + 2 of them to 0, then the lanes are added in
// log2 lanes steps: summation_error of these, for the sum m of the magnitudes of a row's products. By
// Cauchy-Schwarz m <= √(A·B), where B is the sum of the squares of the vector's elements and A that of all the
// rows'. The squares are summed in float, at most 2^14 to a lane, which loses at most 2^-10 of A, and by underflow
// at most 2^-130: nothing that 1.0625 does not cover, if A and B are above 2^-100.
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

/// Rows that share the loads of the vector: of short ones a group, whose sums then stay in registers; of long ones
/// fewer, because lines of rows that lie far apart often compete for one set of a cache.
constexpr std::size_t long_rows_at_once = 4;
constexpr std::size_t rows_of_group = std::max(long_rows_at_once, hn::MaxLanes(hn::ScalableTag<double>()));
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

/// Sums of rows of floats by a vector.
class float_rows {
 public:
  float_rows(const float* b, const row_group<float>& first, std::size_t n)
      : b_(b), is_moderate_(starts_moderate(b, n) && starts_moderate(first.row(0), n)) {}

  /// Begins some rows' sums of elements first … first + n - 1, a block; false if this kind of sums does not suit
  /// the data. is_repeated: they were begun before, and end() returned false.
  HWY_INLINE bool begin(const row_group<float>&, std::size_t first, std::size_t n, bool is_repeated) {
    if (!is_moderate_ || is_repeated) return false;
    if (first != block_of_b_) squares_of_b_ = sum_of_squares(b_ + first, n), block_of_b_ = first;
    squares_ = hn::Zero(float_tag());
    return true;
  }

  /// The sums of a group.
  template <std::size_t at_once>
  HWY_INLINE void add(const row_group<float>& of, std::size_t first, std::size_t n, double* head, double* tail) {
    vec<tag> sums[rows_of_group];
    for (std::size_t r = 0; r < rows_of_group; r += at_once) {
      if (r < of.count) {
        add_rows<at_once>({of, r}, first, n, sums + r);
      } else {
        for (std::size_t i = r; i < r + at_once; ++i) sums[i] = hn::Zero(tag());
      }
    }
    store_sums_of_lanes(tag(), sums, head);
    for (std::size_t r = 0; r < rows_of_group; r += hn::Lanes(tag())) hn::StoreU(hn::Zero(tag()), tag(), tail + r);
  }

  /// The error of the rows begun, if it is known.
  HWY_INLINE bool end(std::size_t n, row_error& to) const {
    const double squares_of_a = sum_lanes(float_tag(), squares_);
    to.largest = std::sqrt(squares_of_a * squares_of_b_) * 1.0625;
    to.bound = summation_error(n / hn::Lanes(tag()) + 2, hn::Lanes(tag()), to.largest);
    return squares_of_a > 0x1p-100 && squares_of_b_ > 0x1p-100 && to.bound < HUGE_VAL;
  }

  HWY_INLINE void look_at(const double*, std::size_t, const row_error&) const {}

 private:
  using tag = hn::ScalableTag<double>;
  using float_tag = hn::ScalableTag<float>;
  static constexpr std::size_t width = float_pair, middle = width / 2;

  template <std::size_t at_once>
  struct row_sums {
    vec<tag> sum[at_once];
    vec<float_tag> squares[2];  // of even and of odd rows
  };

  template <std::size_t at_once>
  HWY_INLINE void add_rows(const rows_in_registers<float, at_once>& rows, std::size_t first, std::size_t n,
                           vec<tag>* sums) {
    row_sums<at_once> to;
    for (auto& each : to.sum) each = hn::Zero(tag());
    to.squares[0] = to.squares[1] = hn::Zero(float_tag());
    std::size_t i = first;
    for (; i + width <= first + n; i += width) add_step<true>(rows, i, width, to);
    if (i < first + n) add_step<false>(rows, i, first + n - i, to);
    for (std::size_t r = 0; r < at_once; ++r) sums[r] = to.sum[r];
    squares_ = hn::Add(squares_, hn::Add(to.squares[0], to.squares[1]));
  }
  template <bool whole, std::size_t at_once>
  HWY_INLINE void add_step(const rows_in_registers<float, at_once>& rows, std::size_t i, std::size_t count,
                           row_sums<at_once>& to) const {
    const auto low = load_promoted<whole>(b_ + i, 0, count), high = load_promoted<whole>(b_ + i, middle, count);
    for (std::size_t r = 0; r < at_once; ++r) {
      const float* const a = rows.row[r] + i;
      to.sum[r] = fused_add(tag(), load_promoted<whole>(a, 0, count), low, to.sum[r]);
      to.sum[r] = fused_add(tag(), load_promoted<whole>(a, middle, count), high, to.sum[r]);
      to.squares[r % 2] = add_squares<whole>(a, count, to.squares[r % 2]);
    }
  }
  template <bool whole>
  static HWY_INLINE vec<float_tag> add_squares(const float* x, std::size_t count, vec<float_tag> sum) {
    const float_tag f;
    for (std::size_t first = 0; first < width; first += hn::Lanes(f)) {
      const auto of = load_part<whole>(f, x, first, count);
      sum = fused_add(f, of, of, sum);
    }
    return sum;
  }
  static HWY_INLINE double sum_of_squares(const float* x, std::size_t n) {
    auto sum = hn::Zero(float_tag());
    for (std::size_t i = 0; i < n; i += width) sum = add_squares<false>(x + i, n - i, sum);
    return sum_lanes(float_tag(), sum);
  }

  const float* b_;
  bool is_moderate_;
  std::size_t block_of_b_ = ~std::size_t{0};
  double squares_of_b_ = 0;
  vec<float_tag> squares_;  // of the rows begun
};

/// Sums of rows of doubles by a vector. The anchor of a group serves the next ones too, while it suits them.
class double_rows {
 public:
  double_rows(const double* b, const row_group<double>&, std::size_t) : b_(b) {}

  /// See float_rows.
  HWY_INLINE bool begin(const row_group<double>& of, std::size_t first, std::size_t n, bool is_repeated) {
    is_new_ = anchor_exponent_ == unknown_exponent || is_repeated;
    if (is_new_ && !find_anchor(of, first, n, !is_repeated)) return false;
    changed_ = hn::Zero(bits());
    return true;
  }

  template <std::size_t at_once>
  HWY_INLINE void add(const row_group<double>& of, std::size_t first, std::size_t n, double* head, double* tail) {
    const tag d;
    vec<tag> heads[rows_of_group], tails[rows_of_group];
    for (std::size_t r = 0; r < rows_of_group; r += at_once) {
      if (r < of.count) {
        add_rows<at_once>({of, r}, first, n, heads + r, tails + r);
      } else {
        for (std::size_t i = r; i < r + at_once; ++i) heads[i] = tails[i] = hn::Zero(d);
      }
    }
    store_sums_of_lanes(d, heads, head);
    store_sums_of_lanes(d, tails, tail);
  }

  HWY_INLINE bool end(std::size_t n, row_error& to) {
    const double half_unit = power_of_two(anchor_exponent_ - 53), terms = static_cast<double>(n);
    to.bound = summation_error(n / hn::Lanes(tag()) + 2, hn::Lanes(tag()), terms * half_unit) +
               terms * underflow_of<core::product, double>;
    to.largest = power_of_two(anchor_exponent_ - fraction_bits);  // the interval of a lane's sum is as long
    const auto left = hn::ShiftRight<52 - fraction_bits>(changed_);
    if (hn::AllTrue(bits(), hn::Eq(left, hn::Zero(bits())))) return true;
    anchor_exponent_ = unknown_exponent;
    return false;
  }

  /// Forgets the anchor where it was perhaps meant for much larger elements, by the sums of the rows begun.
  HWY_INLINE void look_at(const double* head, std::size_t count, const row_error& error) {
    const auto limit = hn::Set(tag(), error.bound * 0x1p60);
    for (std::size_t r = 0; r < count; r += hn::Lanes(tag())) {
      if (!hn::AllTrue(tag(), hn::Lt(hn::Abs(hn::LoadU(tag(), head + r)), limit))) return;
    }
    if (!is_new_) anchor_exponent_ = unknown_exponent;
  }

 private:
  using tag = hn::ScalableTag<double>;
  using bits = hn::RebindToUnsigned<tag>;
  static constexpr int fraction_bits = 2;  // of a lane's sum, that remain those of the anchor

  template <std::size_t at_once>
  struct row_sums {
    vec<tag> sum[at_once], residual[at_once];
    vec<bits> changed;
  };

  /// An anchor that holds the sums of these rows, by their largest product, or with `sampled` by the first products
  /// of the first ones.
  HWY_NOINLINE bool find_anchor(const row_group<double>& of, std::size_t first, std::size_t n, bool sampled) {
    constexpr std::size_t sample = 16;
    double largest = 0;
    for (std::size_t r = 0; r < (sampled ? std::min(of.count, rows_of_group) : of.count); ++r) {
      plain_load<core::product, double> load(of.row(r), b_);
      largest = std::max(largest, largest_addend(load, first, first + (sampled ? std::min(n, sample) : n)));
    }
    const int exponent = exponent_above(largest);
    const auto steps = static_cast<int>(std::bit_width(n / hn::Lanes(tag()) + 1));
    if (!(exponent > lowest_sum_exponent && exponent <= highest_sum_exponent)) return false;
    anchor_exponent_ = exponent + steps + fraction_bits + 2;
    return true;
  }

  template <std::size_t at_once>
  HWY_INLINE void add_rows(const rows_in_registers<double, at_once>& rows, std::size_t first, std::size_t n,
                           vec<tag>* heads, vec<tag>* tails) {
    const auto anchor = hn::Set(tag(), 1.625 * power_of_two(anchor_exponent_));
    row_sums<at_once> to;
    for (std::size_t r = 0; r < at_once; ++r) to.sum[r] = anchor, to.residual[r] = hn::Zero(tag());
    to.changed = changed_;
    std::size_t i = first;
    const std::size_t end = first + n;
    for (; i + hn::Lanes(tag()) <= end; i += hn::Lanes(tag())) add_step<true>(rows, i, end, anchor, to);
    if (i < end) add_step<false>(rows, i, end, anchor, to);
    for (std::size_t r = 0; r < at_once; ++r) {
      heads[r] = hn::Sub(to.sum[r], anchor);
      tails[r] = to.residual[r];
    }
    changed_ = to.changed;
  }
  template <bool whole, std::size_t at_once>
  HWY_INLINE void add_step(const rows_in_registers<double, at_once>& rows, std::size_t i, std::size_t end,
                           vec<tag> anchor, row_sums<at_once>& to) const {
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
  bool is_new_ = false;  // the anchor, to the rows begun
  vec<bits> changed_;    // bits of their lanes' sums that were not always those of the anchor
};

/// head, tail, error = the sums of some rows over a block. False if nothing is known.
template <std::size_t at_once, class Rows, class T>
HWY_INLINE bool sum_block(Rows& rows, const row_group<T>& of, std::size_t first, std::size_t n, double* head,
                          double* tail, row_error& error) {
  for (const bool is_repeated : {false, true}) {
    if (!rows.begin(of, first, n, is_repeated)) continue;
    for (std::size_t r = 0; r < of.count; r += rows_of_group) {
      rows.template add<at_once>(of.from(r, rows_of_group), first, n, head + r, tail + r);
    }
    if (!rows.end(n, error)) continue;
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
    is_known = sum_block<long_rows_at_once>(rows, of, first, std::min(n - first, bounded_block), head, tail, error);
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

/// See kernels::bounded_rows.
template <class T>
void bounded_rows(const void* a, std::ptrdiff_t step, std::size_t count, const void* b, std::size_t n,
                  const row_bounds& to) {
  const row_group<T> all{static_cast<const char*>(a), step, count};
  std::conditional_t<std::is_same_v<T, float>, float_rows, double_rows> rows(static_cast<const T*>(b), all, n);
  const bool are_short = n <= short_row_elements;
  const std::size_t at_once = are_short ? short_rows_per_bound : rows_of_group;
  for (std::size_t r = 0; r < count; r += at_once) {
    const row_group<T> some = all.from(r, at_once);
    const row_bounds found = to.from(r);
    if (n > bounded_block) {
      sum_blocks(rows, some, n, found);
      continue;
    }
    row_error error;
    const bool is_known = are_short ? sum_block<rows_of_group>(rows, some, 0, n, found.head, found.tail, error)
                                    : sum_block<long_rows_at_once>(rows, some, 0, n, found.head, found.tail, error);
    if (!is_known) error = {HUGE_VAL, HUGE_VAL};
    std::fill_n(found.bound, some.count, error.bound);
    std::fill_n(found.largest, some.count, error.largest);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
