// Sums of many vectors at once, one per lane: the elements of a row of a matrix are added to the sums of their
// columns.
//
// Each lane is a compensated sum: terms are added by TwoSum, products of doubles split by TwoProduct, their errors
// are added plainly (Dot2: T. Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput. 26, 2005, §5), beside the sum of
// the terms' magnitudes, which bounds what is lost (cpu/column_sums.hpp). Cost per term: 8 flops, of products of
// doubles 14. The sums of a register of columns stay in registers for the rows of a call. Results of up to 24 bits
// take less: cpu/plain_columns-inl.h.
#if defined(EXACTDOT_CPU_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_COLUMNS_INL_H_
#undef EXACTDOT_CPU_COLUMNS_INL_H_
#else
#define EXACTDOT_CPU_COLUMNS_INL_H_
#endif

#include <cpu/simd-inl.h>

#include <cpu/column_sums.hpp>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {
namespace {

/// Elements of a row, as doubles.
template <bool whole, class T>
HWY_INLINE vec<hn::ScalableTag<double>> load_row(const T* from, std::size_t start, std::size_t count) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return load_promoted<whole>(from, start, count);
  } else {
    return load_part<whole>(hn::ScalableTag<double>(), from, start, count);
  }
}

/// The sums of a register of columns.
template <class T, class Term>
struct column_register {
  using tag = hn::ScalableTag<double>;
  static constexpr bool has_two_parts = Term::factors == 2 && sizeof(T) == sizeof(double);
  vec<tag> sum, error, magnitude, smallest;
  vec<tag> inexact;  ///< not 0 where a product is not one double, or may have underflowed

  HWY_INLINE column_register(const column_sums& from, std::size_t start)
      : sum(hn::LoadU(tag(), from.sum + start)),
        error(hn::LoadU(tag(), from.error + start)),
        magnitude(hn::LoadU(tag(), from.magnitude + start)),
        smallest(hn::LoadU(tag(), from.smallest + start)),
        inexact(hn::Zero(tag())) {}

  /// Of the first term alone; a magnitude that is none where the term is not finite, as after an addition.
  HWY_INLINE column_register(vec<tag> x, vec<tag> y) {
    const tag d;
    const auto of = factors_of<Term>(d, x, y);
    const auto term = Term::factors == 2 ? hn::Mul(of.x, of.y) : of.x;
    sum = hn::Add(term, hn::Zero(d));  // +0 of any zero
    error = hn::Zero(d), magnitude = hn::Sub(term, term), inexact = hn::Zero(d);
    if constexpr (has_two_parts) {
      error = fused_subtract(d, of.x, of.y, term);
      magnitude = hn::Add(magnitude, hn::Abs(error));
      inexact = hn::Or(error, hn::VecFromMask(d, hn::Eq(term, hn::Zero(d))));
    }
    const auto size = hn::Abs(term);
    smallest = hn::IfThenElse(hn::Eq(size, hn::Zero(d)), hn::Set(d, HUGE_VAL), size);
  }

  HWY_INLINE void add(vec<tag> x, vec<tag> y) {
    const tag d;
    const auto of = factors_of<Term>(d, x, y);
    const auto term = Term::factors == 2 ? hn::Mul(of.x, of.y) : of.x;
    const auto next = hn::Add(sum, term), added = hn::Sub(next, sum);
    auto lost = hn::Add(hn::Sub(sum, hn::Sub(next, added)), hn::Sub(term, added));
    if constexpr (has_two_parts) {
      const auto rest = fused_subtract(d, of.x, of.y, term);
      lost = hn::Add(lost, rest);
      inexact = hn::Or(inexact, hn::Or(rest, hn::VecFromMask(d, hn::Eq(term, hn::Zero(d)))));
    }
    sum = next;
    error = hn::Add(error, lost);
    magnitude = hn::Add(magnitude, hn::Abs(lost));
    const auto size = hn::Abs(term);
    smallest = hn::Min(smallest, hn::IfThenElse(hn::Eq(size, hn::Zero(d)), hn::Set(d, HUGE_VAL), size));
  }

  HWY_INLINE void store(const column_sums& to, std::size_t start) {
    const tag d;
    if constexpr (has_two_parts) {  // a NaN where a product was 0: not equal to 0 either
      smallest = hn::IfThenElse(hn::Eq(inexact, hn::Zero(d)), smallest, hn::Zero(d));
    }
    hn::StoreU(sum, d, to.sum + start);
    hn::StoreU(error, d, to.error + start);
    hn::StoreU(magnitude, d, to.magnitude + start);
    hn::StoreU(smallest, d, to.smallest + start);
  }
};

/// Calls add(x, y) with row i's elements from column `start` on, of which there are `width` in all. After the end
/// of a row the one `rows_to_next` further is read.
template <class T, class Term, bool whole, class Add>
HWY_INLINE void read_row(const row_block& a, const row_block& b, std::size_t i, std::size_t start,
                         std::size_t width, std::size_t rows_to_next, Add add) {
  const hn::ScalableTag<double> d;
  if constexpr (whole) {
    row_prefetcher<T>(a.step, rows_to_next, start, width)(a.row<T>(i));
    if (Term::inputs == 2 && !b.is_repeated) row_prefetcher<T>(b.step, rows_to_next, start, width)(b.row<T>(i));
  }
  const auto x = load_row<whole>(a.row<T>(i), start, width);
  auto y = x;
  if constexpr (Term::inputs == 2) {
    y = b.is_repeated ? hn::Set(d, static_cast<double>(b.element<T>(i)))
                      : load_row<whole>(b.row<T>(i), start, width);
  }
  add(x, y);
}

template <class T, class Term, bool whole>
HWY_INLINE void add_row(const row_block& a, const row_block& b, std::size_t i, std::size_t start, std::size_t width,
                        std::size_t rows_to_next, column_register<T, Term>& to) {
  read_row<T, Term, whole>(a, b, i, start, width, rows_to_next, [&](auto x, auto y) HWY_ATTR { to.add(x, y); });
}

/// Calls add(start, whole) for the registers of `width` columns; whole: a constant.
template <class Add>
HWY_INLINE void for_column_registers(std::size_t width, Add add) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<double>());
  std::size_t start = 0;
  for (; start + lanes <= width; start += lanes) add(start, std::true_type());
  if (start < width) add(start, std::false_type());
}

/// Adds `rows` rows of `width` elements to the sums of their columns. begins: those are not read.
template <class T, class Term>
void add_columns(const row_block& a, const row_block& b, std::size_t rows, std::size_t width, bool begins,
                 const column_sums& to) {
  for_column_registers(width, [&](std::size_t start, auto whole) HWY_ATTR {
    const auto add_rest = [&](std::size_t i, column_register<T, Term> sums) HWY_ATTR {
      for (; i < rows; ++i) add_row<T, Term, decltype(whole)::value>(a, b, i, start, width, rows, sums);
      sums.store(to, start);
    };
    if (!begins) return add_rest(0, column_register<T, Term>(to, start));
    read_row<T, Term, decltype(whole)::value>(
        a, b, 0, start, width, rows, [&](auto x, auto y) HWY_ATTR { add_rest(1, column_register<T, Term>(x, y)); });
  });
}

/// The same to the sums of an entry for each row: those of entry e begin e · step doubles behind the table's.
template <class T, class Term>
void add_rows(const row_block& a, const row_block& b, std::size_t rows, std::size_t width,
              const std::uint32_t* entries, const column_sums& table, std::size_t step) {
  for_column_registers(width, [&](std::size_t start, auto whole) HWY_ATTR {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t at = start + entries[i] * step;
      column_register<T, Term> sums(table, at);
      add_row<T, Term, decltype(whole)::value>(a, b, i, start, width, 1, sums);
      sums.store(table, at);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
