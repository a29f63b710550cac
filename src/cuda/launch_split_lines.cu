// The kernels of few long rows, and of columns, of one carrier, EXACTDOT_ELEMENT, for sums of every term. One object
// per carrier.
#include <cuda/configured_split.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_split_lines(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                        const line_results& out) {
  with_term_of_lines(
      term, [&]<class Term>(Term) { launch_split_rows<sum_work<T, Term, layout>, layout>(storage, in, out, {}); });
}

template <class T, input_layout layout>
void launch_columns(const workspace::storage& storage, std::size_t term, const lines_of<T, layout>& in,
                    const line_results& out) {
  with_term_of_lines(
      term, [&]<class Term>(Term) { launch_columns_of<sum_work<T, Term, layout>, layout>(storage, in, out, {}); });
}

template void launch_split_lines(const workspace::storage&, std::size_t,
                                 const line_source<EXACTDOT_ELEMENT, input_layout::contiguous>&,
                                 const line_results&);
template void launch_split_lines(const workspace::storage&, std::size_t,
                                 const line_source<EXACTDOT_ELEMENT, input_layout::any>&, const line_results&);
template void launch_split_lines(const workspace::storage&, std::size_t,
                                 const line_source<EXACTDOT_ELEMENT, input_layout::converted>&,
                                 const line_results&);
template void launch_columns<EXACTDOT_ELEMENT, input_layout::strided>(const workspace::storage&, std::size_t,
                                                                      const line_operands<EXACTDOT_ELEMENT>&,
                                                                      const line_results&);
template void launch_columns<EXACTDOT_ELEMENT, input_layout::converted>(
    const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&,
    const line_results&);

}  // namespace exactdot::inline v0_3::cuda
