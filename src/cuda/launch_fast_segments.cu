// The kernels of mode fast of segments of one carrier, EXACTDOT_ELEMENT, for every term. One object per carrier.
#include <cuda/configured_lines.cuh>
#include <cuda/configured_segment_works.cuh>

namespace exactdot::cuda {

template <class T, input_layout loads>
void launch_fast_segments(const workspace::storage& storage, std::size_t term, const operands<T, loads>& vector,
                          const segment_spans& in, const line_results& out) {
  constexpr auto layout = loads == input_layout::strided ? input_layout::contiguous : input_layout::any;
  with_term_of_lines(term, [&]<class Term>(Term) {
    launch_work(storage, fast_sum_of_segments<T, Term, layout>{vector, out}, in, sizeof(T), false);
  });
}

template void launch_fast_segments(const workspace::storage&, std::size_t,
                                   const operands<EXACTDOT_ELEMENT, input_layout::strided>&, const segment_spans&,
                                   const line_results&);
template void launch_fast_segments(const workspace::storage&, std::size_t,
                                   const operands<EXACTDOT_ELEMENT, input_layout::any>&, const segment_spans&,
                                   const line_results&);

}  // namespace exactdot::cuda
