// The kernels of states of lines and segments of one carrier, EXACTDOT_ELEMENT; terms are read at run time.
// One object per carrier.
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_configured_lines.cuh>
#include <cuda/work/line_states.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T, input_layout layout>
void launch_states(const workspace::storage& storage, shape by, std::size_t term, const line_source<T, layout>& in,
                   const line_states& to) {
  using work = state_of_line<T>;
  const core::term_info& added = core::term_at(term);
  if (by == shape::split_lines) return launch_split_rows<work, layout>(storage, in, to, added);
  if (by == shape::segments) return launch_segments_of<work, layout>(storage, in, sizeof(T), to, added);
  constexpr int threads = 128;
  launch_kernel(storage, "launching the kernel of states", {blocks_for(storage, in.lines.count, 1, 8), threads},
                line_state_kernel<T, layout, threads>, added, in.lines, to);
}

template <input_layout layout>
using source_of_layout = line_source<EXACTDOT_ELEMENT, layout>;

template void launch_states(const workspace::storage&, shape, std::size_t,
                            const source_of_layout<input_layout::strided>&, const line_states&);
template void launch_states(const workspace::storage&, shape, std::size_t,
                            const source_of_layout<input_layout::any>&, const line_states&);

}  // namespace exactdot::inline v0_3::cuda
