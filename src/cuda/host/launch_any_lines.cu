// The kernels of lines whose elements are not carriers in native byte order: converted to the carrier
// EXACTDOT_ELEMENT one by one or, of contiguous lines, in packs. One object per carrier.
#include <cuda/host/launch_configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <input_layout layout>
using source_of_layout = line_source<EXACTDOT_ELEMENT, layout>;

template void launch_lines(const workspace::storage&, std::size_t, const source_of_layout<input_layout::any>&,
                           const line_results&);
template void launch_lines(const workspace::storage&, std::size_t, const source_of_layout<input_layout::converted>&,
                           const line_results&);

}  // namespace exactdot::inline v0_3::cuda
