// The kernels of rows of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that
// core/line_tuning.hpp names. One object per carrier.
#include <cuda/host/launch_configured_lines.cuh>

namespace exactdot::inline v0_3::cuda {

template <input_layout layout>
using source_of_layout = line_source<EXACTDOT_ELEMENT, layout>;

template void launch_lines(const workspace::storage&, std::size_t,
                           const source_of_layout<input_layout::contiguous>&, const line_results&);
template void launch_lines(const workspace::storage&, std::size_t, const source_of_layout<input_layout::strided>&,
                           const line_results&);

}  // namespace exactdot::inline v0_3::cuda
