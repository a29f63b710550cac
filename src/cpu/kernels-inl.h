// kernels_of<Element, Term>(): the kernels of one element type and term, for one Highway target.
#if defined(EXACTDOT_CPU_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTDOT_CPU_KERNELS_INL_H_
#undef EXACTDOT_CPU_KERNELS_INL_H_
#else
#define EXACTDOT_CPU_KERNELS_INL_H_
#endif

#include "cpu/accumulate-inl.h"
#include "cpu/bounded-inl.h"
#include "cpu/column_bounds-inl.h"
#include "cpu/columns-inl.h"
#include "cpu/decisions-inl.h"
#include "cpu/exact_pair-inl.h"
#include "cpu/extract-inl.h"
#include "cpu/extremum-inl.h"
#include "cpu/fast-inl.h"
#include "cpu/group_extrema-inl.h"
#include "cpu/groups-inl.h"
#include "cpu/normalised-inl.h"
#include "cpu/plain_columns-inl.h"
#include "cpu/products-inl.h"
#include "cpu/rows-inl.h"
#include "cpu/transpose-inl.h"
#include "cpu/widen-inl.h"
#include "cpu/word_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {

template <class Element, class Term>
constexpr auto plain_columns_kernel() -> decltype(kernels::add_plain_columns) {
  if constexpr (core::carrier<Element>::product_fits_double) return add_plain_columns<Term>;
  return nullptr;
}

template <class Element, class Term>
constexpr auto bounded_rows_kernel() -> decltype(kernels::bounded_rows) {
  if constexpr (Term::inputs == 2 && Term::factors == 2 && !Term::absolute) return bounded_rows<Element>;
  return nullptr;
}

template <class Element, class Term>
constexpr kernels kernels_of() {
  return {fast<Element, Term>,
          bounded<Element, Term>,
          bounded_rows_kernel<Element, Term>(),
          refined<Element, Term>,
          suggested_levels<Element, Term>,
          sum_exact_pair<Element, Term>,
          accumulate<Element, Term>,
          add_columns<Element, Term>,
          add_rows<Element, Term>,
          plain_columns_kernel<Element, Term>(),
          add_groups<Element, Term>,
          sum_runs<Element, Term>,
          Term::factors == 2 && sizeof(Element) == sizeof(double)};
}

}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
