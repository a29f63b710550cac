// The inputs of a plan or a batch, as kernels of its carrier take them, and the layout in which they read a vector.
#pragma once

#include <cuda/core/destination.hpp>
#include <cuda/core/element_axes.hpp>
#include <cuda/core/lines.hpp>
#include <exactdot/core/carrier.hpp>
#include <plan/batch.hpp>
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

// The element axes of a batch as kernels read them (core/element_axes.hpp).

/// Whether no one stride describes the elements of a result.
inline bool has_element_axes(const engine::batch& of) { return !of.outer_a.empty(); }

/// Of a batch of at most max_element_axes axes; without any if one stride describes the elements.
inline element_axes element_axes_of(const engine::batch& of) {
  element_axes made;
  if (!has_element_axes(of)) return made;
  const auto add = [&](std::size_t n, std::ptrdiff_t a, std::ptrdiff_t b) {
    made.axis[made.count++] = {fixed_divisor(n), a, b};
  };
  add(of.each.a.inner, of.each.a.stride, of.each.b.stride);
  for (std::size_t k = of.outer_a.size(); k-- != 0;)
    add(of.outer_a[k].n, of.outer_a[k].stride, of.outer_b[k].stride);
  return made;
}

/// Offsets as kernels read them.
inline offset_array offsets_of(const any_offsets& x) {
  return {static_cast<const char*>(x.data), x.stride, size_of(x.type) == sizeof(std::uint64_t), is_signed(x.type)};
}

/// The vectors of a batch along the axis `lines`, from `first` on, as kernels of a term read them; or all segments.
template <class T, input_layout layout>
line_source<T, layout> source_of(const engine::batch& of, const engine::line& first,
                                 const engine::shared_axis& lines, const core::term_info& term) {
  const engine::plan& each = of.each;
  line_source<T, layout> in;
  in.offsets = offsets_of(of.offsets), in.length = each.n, in.lines.count = lines.n;
  if constexpr (converts<layout>) {
    in.lines.first = any_operands_of<T>(each, term);
    in.lines.first.a.data = static_cast<const char*>(first.a),
    in.lines.first.b.data = static_cast<const char*>(first.b);
    in.lines.next_a = lines.a, in.lines.next_b = lines.b, in.lines.axes = element_axes_of(of);
  } else {
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    in.lines.first = {static_cast<const T*>(first.a), static_cast<const T*>(first.b), each.a.stride / size,
                      each.b.stride / size, each.n};
    in.lines.next_a = lines.a / size, in.lines.next_b = lines.b / size;
  }
  return in;
}

/// Calls f(layout) with the constant of a layout of lines.
template <class F>
void with_layout(input_layout layout, F f) {
  switch (layout) {
    case input_layout::contiguous:
      return f(std::integral_constant<input_layout, input_layout::contiguous>{});
    case input_layout::strided:
      return f(std::integral_constant<input_layout, input_layout::strided>{});
    case input_layout::converted:
      return f(std::integral_constant<input_layout, input_layout::converted>{});
    default:
      return f(std::integral_constant<input_layout, input_layout::any>{});
  }
}

}  // namespace exactdot::inline v0_3::cuda_engine
