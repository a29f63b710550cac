// The inputs of a plan, as kernels of its carrier take them.
#pragma once

#include <cuda/input_choice.hpp>
#include <exactdot/core/carrier.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Of any layout, as addends of a term at run time.
template <class T>
operands<T, input_layout::any> any_operands_of(const engine::plan& plan, const core::term_info& term) {
  operands<T, input_layout::any> in;
  in.a = to_any_operand(plan.a), in.b = to_any_operand(plan.b);
  in.log2_parts_a = core::parts_of(plan.a.type) - 1;
  in.log2_parts_b = term.inputs == 2 ? core::parts_of(plan.b.type) - 1 : 0;
  in.n = plan.n << (in.log2_parts_a + in.log2_parts_b);
  return in;
}

template <class T, class Term, input_layout layout>
operands<T, layout> operands_of(const engine::plan& plan) {
  if constexpr (layout == input_layout::any) {
    return any_operands_of<T>(plan, core::describe_term<Term>());
  } else if constexpr (layout == input_layout::converted) {
    return operands<T, layout>(operands_of<T, Term, input_layout::any>(plan));
  } else {
    const void* const b = Term::inputs == 2 ? plan.b.data : nullptr;
    return operands<T, layout>(static_cast<const T*>(plan.a.data), static_cast<const T*>(b), plan.n);
  }
}

}  // namespace exactdot::inline v0_3::cuda_engine
