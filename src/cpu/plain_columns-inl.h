// Sums of many vectors of floats at once, one per lane, for results of up to 24 bits: the elements of some rows of
// a matrix, a tile, are added plainly in double, and the tile's sums join those of their columns by TwoSum.
//
// A double has 29 bits more than a float, so the roundings of a tile of 16 rows rarely matter, and often there are
// none: cpu/plain_sums.hpp has the bound, from the largest and the smallest magnitude of a column's elements, of
// products from the sum of their magnitudes, which are exact in double. Cost per float: 2 flops and 4 integer
// operations on half as many registers, of squares 2, of products 3 flops; a compensated sum (cpu/columns-inl.h)
// takes 13.
#if defined(EXACTDOT_CPU_PLAIN_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_PLAIN_COLUMNS_INL_H_
#undef EXACTDOT_CPU_PLAIN_COLUMNS_INL_H_
#else
#define EXACTDOT_CPU_PLAIN_COLUMNS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cpu/plain_sums.hpp>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// The largest and the smallest magnitude of elements other than 0 so far, as plain_sums keeps them.
struct magnitude_range {
  using tag = hn::ScalableTag<float>;
  using bits = hn::RebindToUnsigned<tag>;
  vec<bits> largest, smallest;

  HWY_INLINE magnitude_range() : largest(hn::Zero(bits())), smallest(hn::Set(bits(), plain_sums::no_smallest)) {}
  HWY_INLINE void add(vec<tag> x) {
    const auto size = hn::And(hn::BitCast(bits(), x), hn::Set(bits(), 0x7fffffff));
    largest = hn::Max(largest, size);
    smallest = hn::Min(smallest, hn::Sub(size, hn::Set(bits(), 1)));  // turns 0 into the largest
  }
  HWY_INLINE void store(const plain_sums& to, std::size_t start, bool begins) {
    if (!begins) {
      largest = hn::Max(largest, hn::LoadU(bits(), to.largest + start));
      smallest = hn::Min(smallest, hn::LoadU(bits(), to.smallest + start));
    }
    hn::StoreU(largest, bits(), to.largest + start);
    hn::StoreU(smallest, bits(), to.smallest + start);
  }
};

/// Adds the sums of a tile's terms, and of products that of their magnitudes, to a register of sums, or begins it.
template <class Term>
HWY_INLINE void add_tile(const plain_sums& to, std::size_t start, vec<hn::ScalableTag<double>> tile,
                         vec<hn::ScalableTag<double>> magnitude, bool begins) {
  const hn::ScalableTag<double> d;
  if (begins) {
    hn::StoreU(tile, d, to.sum + start);
    hn::StoreU(hn::Zero(d), d, to.error + start);
    if constexpr (Term::factors == 2) hn::StoreU(magnitude, d, to.magnitude + start);
    return;
  }
  const auto sum = hn::LoadU(d, to.sum + start), next = hn::Add(sum, tile), added = hn::Sub(next, sum);
  const auto lost = hn::Add(hn::Sub(sum, hn::Sub(next, added)), hn::Sub(tile, added));
  hn::StoreU(next, d, to.sum + start);
  hn::StoreU(hn::Add(hn::LoadU(d, to.error + start), lost), d, to.error + start);
  if constexpr (Term::factors == 2) {
    hn::StoreU(hn::Add(hn::LoadU(d, to.magnitude + start), magnitude), d, to.magnitude + start);
  }
}

/// Elements of the columns start to start + Lanes(d) of row i, which may be one that belongs to all.
template <bool whole>
HWY_INLINE vec<hn::ScalableTag<double>> load_floats(const row_block& x, std::size_t i, std::size_t start,
                                                    std::size_t width) {
  if (x.is_repeated) return hn::Set(hn::ScalableTag<double>(), static_cast<double>(x.element<float>(i)));
  return load_promoted<whole>(x.row<float>(i), start, width);
}

/// Adds the values of a tile's elements from column `start` on, float_pair columns.
template <class Term, bool whole>
HWY_INLINE void add_value_tile(const row_block& a, std::size_t rows, std::size_t start, std::size_t width,
                               bool begins, const plain_sums& to) {
  static_assert(Term::inputs == 1 && Term::factors == 1);
  const hn::ScalableTag<double> d;
  const hn::ScalableTag<float> f;
  constexpr bool has_second = hn::MaxLanes(f) < float_pair;  // Highway's scalar target
  const std::size_t half = hn::Lanes(d), second = start + (has_second ? hn::Lanes(f) : 0);
  auto low = hn::Zero(d), high = low;
  magnitude_range sizes, sizes_of_second;
  const row_prefetcher<float> prefetch(a.step, rows, start, width);
  for (std::size_t i = 0; i < rows; ++i) {
    const float* const x = a.row<float>(i);
    if constexpr (whole) prefetch(x);
    sizes.add(load_part<whole>(f, x, start, width));
    if constexpr (has_second) sizes_of_second.add(load_part<whole>(f, x, second, width));
    const auto of_low = load_promoted<whole>(x, start, width),
               of_high = load_promoted<whole>(x, start + half, width);
    low = hn::Add(low, Term::absolute ? hn::Abs(of_low) : of_low);
    high = hn::Add(high, Term::absolute ? hn::Abs(of_high) : of_high);
  }
  if constexpr (has_second) sizes_of_second.store(to, second, begins);
  sizes.store(to, start, begins);
  add_tile<Term>(to, start, low, low, begins);
  add_tile<Term>(to, start + half, high, high, begins);
}

/// Adds the products of a tile's elements from column `start` on, float_pair columns.
template <class Term, bool whole>
HWY_INLINE void add_product_tile(const row_block& a, const row_block& b, std::size_t rows, std::size_t start,
                                 std::size_t width, bool begins, const plain_sums& to) {
  static_assert(Term::factors == 2);
  const hn::ScalableTag<double> d;
  const std::size_t half = hn::Lanes(d);
  auto low = hn::Zero(d), high = low, low_size = low, high_size = low;
  const row_prefetcher<float> prefetch_a(a.step, rows, start, width), prefetch_b(b.step, rows, start, width);
  for (std::size_t i = 0; i < rows; ++i) {
    if constexpr (whole) {
      prefetch_a(a.row<float>(i));
      if (Term::inputs == 2 && !b.is_repeated) prefetch_b(b.row<float>(i));
    }
    const float* const x = a.row<float>(i);
    const auto x_low = load_promoted<whole>(x, start, width), x_high = load_promoted<whole>(x, start + half, width);
    if constexpr (Term::inputs == 1) {
      low = fused_add(d, x_low, x_low, low), high = fused_add(d, x_high, x_high, high);
    } else {
      const auto y_low = load_floats<whole>(b, i, start, width),
                 y_high = load_floats<whole>(b, i, start + half, width);
      low = fused_add(d, x_low, y_low, low), high = fused_add(d, x_high, y_high, high);
      low_size = fused_add(d, hn::Abs(x_low), hn::Abs(y_low), low_size);
      high_size = fused_add(d, hn::Abs(x_high), hn::Abs(y_high), high_size);
    }
  }
  add_tile<Term>(to, start, low, Term::inputs == 1 ? low : low_size, begins);
  add_tile<Term>(to, start + half, high, Term::inputs == 1 ? high : high_size, begins);
}

template <class Term, bool whole>
HWY_INLINE void add_plain_tile(const row_block& a, const row_block& b, std::size_t rows, std::size_t start,
                               std::size_t width, bool begins, const plain_sums& to) {
  if constexpr (Term::factors == 1) {
    add_value_tile<Term, whole>(a, rows, start, width, begins, to);
  } else {
    add_product_tile<Term, whole>(a, b, rows, start, width, begins, to);
  }
}

/// Adds `rows` rows, at most plain_sums::max_rows, of `width` elements to the sums of their columns. begins: those
/// are not read.
template <class Term>
void add_plain_columns(const row_block& a, const row_block& b, std::size_t rows, std::size_t width, bool begins,
                       const plain_sums& to) {
  std::size_t start = 0;
  for (; start + float_pair <= width; start += float_pair)
    add_plain_tile<Term, true>(a, b, rows, start, width, begins, to);
  if (start < width) add_plain_tile<Term, false>(a, b, rows, start, width, begins, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
