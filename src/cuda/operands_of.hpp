// The inputs of a plan, as kernels of its carrier take them.
#pragma once

#include <core/carrier.hpp>
#include <cuda/destination.hpp>
#include <plan/plan.hpp>

namespace exactdot::cuda_engine {

inline any_operand to_any_operand(const engine::operand& x) {
  return {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
}

template <class T, class Term, input_layout layout>
operands<T, layout> operands_of(const engine::plan& plan) {
  if constexpr (layout == input_layout::any) {
    operands<T, layout> in;
    in.a = to_any_operand(plan.a), in.b = to_any_operand(plan.b);
    in.log2_parts_a = core::parts_of(plan.a.type) - 1;
    in.log2_parts_b = Term::inputs == 2 ? core::parts_of(plan.b.type) - 1 : 0;
    in.n = plan.n << (in.log2_parts_a + in.log2_parts_b);
    return in;
  } else {
    const void* const b = Term::inputs == 2 ? plan.b.data : nullptr;
    return operands<T, layout>(static_cast<const T*>(plan.a.data), static_cast<const T*>(b), plan.n);
  }
}

}  // namespace exactdot::cuda_engine
