// The kernels of variances of many vectors of one carrier, EXACTDOT_ELEMENT: rows, columns and segments. One object
// per carrier.
#include <cuda/host/launch_configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_line_moments(const workspace::storage& storage, shape by, const line_source<T, layout>& in,
                         const line_results& out, const line_request& asked) {
  using work = moments_work<T, layout>;
  const std::size_t bytes = bytes_of_element(in);
  if (by == shape::split_lines) return launch_split_rows<work, layout>(storage, in, out, asked);
  if constexpr (layout == input_layout::converted) {
    if (by == shape::lines) {
      return launch_by_length<work, layout, packed_moment_rows>(storage, in.lines, in.length * bytes, out, asked);
    }
  }
  launch_segments_of<work, layout>(storage, in, bytes, out, asked);
}

template <class T, input_layout layout>
void launch_column_moments(const workspace::storage& storage, shape by, const lines_of<T, layout>& in,
                           const line_results& out, const line_request& asked) {
  launch_columns_of<moments_work<T, layout>, layout>(storage, by, in, out.to.count, out, asked);
}

template void launch_line_moments(const workspace::storage&, shape,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::contiguous>&,
                                  const line_results&, const line_request&);
template void launch_line_moments(const workspace::storage&, shape,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::any>&, const line_results&,
                                  const line_request&);
template void launch_line_moments(const workspace::storage&, shape,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::converted>&,
                                  const line_results&, const line_request&);
template void launch_column_moments<EXACTDOT_ELEMENT, input_layout::strided>(const workspace::storage&, shape,
                                                                             const line_operands<EXACTDOT_ELEMENT>&,
                                                                             const line_results&,
                                                                             const line_request&);
template void launch_column_moments<EXACTDOT_ELEMENT, input_layout::converted>(
    const workspace::storage&, shape, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&,
    const line_results&, const line_request&);

}  // namespace exactdot::inline v0_3::cuda
