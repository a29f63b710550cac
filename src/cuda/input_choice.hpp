// The layout in which a plan's kernel reads its inputs.
#pragma once

#include <cuda/destination.hpp>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cuda_engine {

inline any_operand to_any_operand(const engine::operand& x) {
  return {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
}

/// For a kernel of the carrier T and the term. Words of an exact state need the second level only, which reads
/// elements that are no carriers one by one.
template <class T, class Term>
input_layout layout_of(const engine::plan& plan, const destination& to) {
  if (plan.contiguous) return input_layout::contiguous;
  if (to.words != nullptr) return input_layout::any;
  const any_operand a = to_any_operand(plan.a), b = to_any_operand(plan.b);
  const bool converts =
      plan.mode == mode::exact ? can_convert_packs<T, Term>(a, b) : can_convert_tiles<T, Term>(a, b);
  return converts ? input_layout::converted : input_layout::any;
}

}  // namespace exactdot::inline v0_3::cuda_engine
