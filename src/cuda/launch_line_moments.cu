// The kernels of variances of many vectors of one carrier, EXACTDOT_ELEMENT: rows, columns and segments. One object
// per carrier.
#include <cuda/configured_split.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_line_moments(const workspace::storage& storage, const line_source<T, layout>& in, std::size_t bytes,
                         const line_results& out, const line_request& asked) {
  const std::size_t all = in.length * bytes;
  const bool is_segments = in.offsets.data != nullptr;
  using work = moments_work<T, layout>;
  if (!is_segments && splits_moments(in.lines.count, all, storage.multiprocessors)) {
    return launch_split_rows<work, layout>(storage, in, out, asked);
  }
  if constexpr (layout == input_layout::converted) {
    if (!is_segments) return launch_by_length<work, layout, packed_moment_rows>(storage, in.lines, all, out, asked);
  }
  launch_segments_of<work, layout>(storage, in, bytes, out, asked);
}

template <class T, input_layout layout>
void launch_column_moments(const workspace::storage& storage, const lines_of<T, layout>& in,
                           const line_results& out, const line_request& asked) {
  launch_columns_of<moments_work<T, layout>, layout>(storage, in, out, asked);
}

template void launch_line_moments(const workspace::storage&,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::contiguous>&, std::size_t,
                                  const line_results&, const line_request&);
template void launch_line_moments(const workspace::storage&,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::any>&, std::size_t,
                                  const line_results&, const line_request&);
template void launch_line_moments(const workspace::storage&,
                                  const line_source<EXACTDOT_ELEMENT, input_layout::converted>&, std::size_t,
                                  const line_results&, const line_request&);
template void launch_column_moments<EXACTDOT_ELEMENT, input_layout::strided>(const workspace::storage&,
                                                                             const line_operands<EXACTDOT_ELEMENT>&,
                                                                             const line_results&,
                                                                             const line_request&);
template void launch_column_moments<EXACTDOT_ELEMENT, input_layout::converted>(
    const workspace::storage&, const line_operands<EXACTDOT_ELEMENT, input_layout::any>&, const line_results&,
    const line_request&);

}  // namespace exactdot::inline v0_3::cuda
