// The kernels of lines whose elements are not carriers in native byte order: converted to the carrier
// EXACTDOT_ELEMENT one by one or, of contiguous lines, in packs. One object per carrier.
#include <cuda/configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_any_lines(const workspace::storage& storage, std::size_t term,
                      const line_operands<T, input_layout::any>& in, std::size_t bytes, const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    if constexpr (layout == input_layout::converted) {
      launch_by_length<sum_work<T, Term, layout>, layout, packed_line_rows>(storage, in, bytes, out, {});
    } else {
      launch_by_length<sum_work<T, Term, layout>, layout, any_line_rows>(storage, in, in.first.n * sizeof(T), out,
                                                                         {});
    }
  });
}

template void launch_any_lines<EXACTDOT_ELEMENT, input_layout::any>(
    const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&, std::size_t,
    const line_results&);
template void launch_any_lines<EXACTDOT_ELEMENT, input_layout::converted>(
    const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&, std::size_t,
    const line_results&);

}  // namespace exactdot::inline v0_3::cuda
