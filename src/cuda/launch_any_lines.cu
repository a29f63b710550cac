// The kernels of lines whose elements are not carriers in native byte order: converted one by one to the carrier
// EXACTDOT_ELEMENT. One object per carrier.
#include <cuda/configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T>
void launch_any_lines(const workspace::storage& storage, std::size_t term,
                      const line_operands<T, input_layout::any>& in, const line_results& out) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_by_length<T, Term, input_layout::any, any_line_rows>(storage, in, out);
  });
}

template void launch_any_lines(const workspace::storage&, std::size_t,
                               const line_operands<EXACTDOT_ELEMENT, cuda_engine::input_layout::any>&,
                               const line_results&);

}  // namespace exactdot::inline v0_3::cuda
