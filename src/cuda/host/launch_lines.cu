// The kernels of rows of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that
// core/line_tuning.hpp names. One object per carrier.
#include <cuda/host/launch_configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T>
void launch_short_columns(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                          const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_row<sum_of_terms<T, Term>, input_layout::strided, short_column_rows, 0>(storage, in, out, {});
  });
}

template <input_layout layout>
using source_of_layout = line_source<EXACTDOT_ELEMENT, layout>;

template void launch_lines(const workspace::storage&, std::size_t,
                           const source_of_layout<input_layout::contiguous>&, const line_results&);
template void launch_lines(const workspace::storage&, std::size_t, const source_of_layout<input_layout::strided>&,
                           const line_results&);
template void launch_short_columns(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                                   const line_results&);

}  // namespace exactdot::inline v0_3::cuda
