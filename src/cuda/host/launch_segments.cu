// The kernels of segments, long lines and columns of one carrier, EXACTDOT_ELEMENT, for sums of every term. One
// object per carrier: segments and long lines have the same kernel of long ones.
#include <cuda/host/launch_configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_segments(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                     const line_results& out, const line_request& asked) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_segments_of<sum_work<T, Term, layout>, layout>(storage, in, bytes_of_element(in), out, asked);
  });
}

template <class T, input_layout layout>
void launch_split_lines(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                        const line_results& out) {
  with_term_of_lines(
      term, [&]<class Term>(Term) { launch_split_rows<sum_work<T, Term, layout>, layout>(storage, in, out, {}); });
}

template <class T, input_layout layout>
void launch_columns(const workspace::storage& storage, shape by, std::size_t term, const lines_of<T, layout>& in,
                    const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_columns_of<sum_work<T, Term, layout>, layout>(storage, by, in, out.to.count, out, {});
  });
}

template <input_layout layout>
using source_of_layout = line_source<EXACTDOT_ELEMENT, layout>;

template void launch_segments(const workspace::storage&, std::size_t,
                              const source_of_layout<input_layout::contiguous>&, const line_results&,
                              const line_request&);
template void launch_segments(const workspace::storage&, std::size_t,
                              const source_of_layout<input_layout::converted>&, const line_results&,
                              const line_request&);
template void launch_segments(const workspace::storage&, std::size_t, const source_of_layout<input_layout::any>&,
                              const line_results&, const line_request&);
template void launch_split_lines(const workspace::storage&, std::size_t,
                                 const source_of_layout<input_layout::contiguous>&, const line_results&);
template void launch_split_lines(const workspace::storage&, std::size_t,
                                 const source_of_layout<input_layout::converted>&, const line_results&);
template void launch_split_lines(const workspace::storage&, std::size_t, const source_of_layout<input_layout::any>&,
                                 const line_results&);
template void launch_columns<EXACTDOT_ELEMENT, input_layout::strided>(const workspace::storage&, shape, std::size_t,
                                                                      const line_operands<EXACTDOT_ELEMENT>&,
                                                                      const line_results&);
template void launch_columns<EXACTDOT_ELEMENT, input_layout::converted>(
    const workspace::storage&, shape, std::size_t, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&,
    const line_results&);

}  // namespace exactdot::inline v0_3::cuda
