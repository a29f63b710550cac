// The kernels of rows of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that line_tuning.hpp
// names. One object per carrier.
#include <cuda/configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_lines(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                  const line_results& out) {
  const std::size_t bytes = in.first.n * sizeof(T);
  with_term_of_lines(term, [&]<class Term>(Term) {
    if constexpr (layout == input_layout::contiguous) {
      launch_by_length<sum_of_terms<T, Term>, layout, line_rows>(storage, in, bytes, out, {});
    } else {
      launch_by_length<sum_of_terms<T, Term>, layout, strided_line_rows>(storage, in, bytes, out, {});
    }
  });
}

template <class T>
void launch_short_columns(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                          const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_row<sum_of_terms<T, Term>, input_layout::strided, short_column_rows, 0>(storage, in, out, {});
  });
}

template void launch_lines<EXACTDOT_ELEMENT, input_layout::contiguous>(const workspace::storage&, std::size_t,
                                                                       const line_operands<EXACTDOT_ELEMENT>&,
                                                                       const line_results&);
template void launch_lines<EXACTDOT_ELEMENT, input_layout::strided>(const workspace::storage&, std::size_t,
                                                                    const line_operands<EXACTDOT_ELEMENT>&,
                                                                    const line_results&);
template void launch_short_columns(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                                   const line_results&);

}  // namespace exactdot::inline v0_3::cuda
