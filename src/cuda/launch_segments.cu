// The kernels of segments of one carrier, EXACTDOT_ELEMENT, for sums of every term. One object per carrier.
#include <cuda/configured_split.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_segments(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                     std::size_t bytes, const line_results& out, const line_request& asked) {
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_segments_of<sum_of_terms<T, Term>, layout>(storage, in, bytes, out, asked);
  });
}

template void launch_segments(const workspace::storage&, std::size_t,
                              const line_source<EXACTDOT_ELEMENT, input_layout::contiguous>&, std::size_t,
                              const line_results&, const line_request&);
template void launch_segments(const workspace::storage&, std::size_t,
                              const line_source<EXACTDOT_ELEMENT, input_layout::any>&, std::size_t,
                              const line_results&, const line_request&);

}  // namespace exactdot::inline v0_3::cuda
