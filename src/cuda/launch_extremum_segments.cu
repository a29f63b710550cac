// The kernels of extreme elements of segments for elements of EXACTDOT_ELEMENT_BYTES bytes. One object per size.
#include <cuda/configured_split.cuh>
#include <cuda/extremum_work.cuh>

namespace exactdot::inline v0_3::cuda {

template <int bytes>
void launch_extremum_segments(const workspace::storage& storage, const element_source& in,
                              const extremum_request& asked, const extremum_results& out) {
  constexpr auto contiguous = input_layout::contiguous, any = input_layout::any;
  using element = extremum_of_line<bytes, false>;
  using index = extremum_of_line<bytes, true>;
  const bool is_packed = in.lines.stride == bytes && !in.lines.swapped;
  const auto launch =
      out.gives_index ? (is_packed ? &launch_segments_of<index, contiguous> : &launch_segments_of<index, any>)
                      : (is_packed ? &launch_segments_of<element, contiguous> : &launch_segments_of<element, any>);
  launch(storage, in, bytes, out, asked);
}

template void launch_extremum_segments<EXACTDOT_ELEMENT_BYTES>(const workspace::storage&, const element_source&,
                                                               const extremum_request&, const extremum_results&);

}  // namespace exactdot::inline v0_3::cuda
