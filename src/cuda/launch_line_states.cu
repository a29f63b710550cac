// The kernels of states of lines and segments of one carrier, EXACTDOT_ELEMENT; terms are read at run time.
// One object per carrier.
#include <cuda/configured_split.cuh>
#include <cuda/launch_line_states.hpp>
#include <cuda/line_state_kernel.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

/// A warp has a line up to this length, otherwise a block: reasoned from the conversion of each warp's expansions,
/// which takes as long as a warp's lanes read some hundred elements each.
constexpr std::size_t longest_line_of_warp = 4096;

template <class T, input_layout layout>
void launch_states(const workspace::storage& storage, const core::term_info& term, const lines_of<T, layout>& in,
                   const line_states& to) {
  using work = state_of_line<T>;
  line_source<T, layout> source;
  source.lines = in;
  source.length = in.first.n >> source.log2_parts();
  const std::size_t bytes = source.length * sizeof(T) * static_cast<std::size_t>(term.inputs);
  // few long ones would leave most multiprocessors idle
  if (splits_lines(bytes) && in.count < 4 * static_cast<std::size_t>(storage.multiprocessors)) {
    return launch_split_rows<work, layout>(storage, source, to, term);
  }
  if (in.first.n <= longest_line_of_warp) {
    return launch_segments_of<work, layout>(storage, source, sizeof(T), to, term);
  }
  constexpr int threads = 128;
  launch_kernel(storage, "launching the kernel of states", {blocks_for(storage, in.count, 1, 8), threads},
                line_state_kernel<T, layout, threads>, term, in, to);
}

}  // namespace

template <class T>
void launch_line_states(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                        const line_states& to) {
  launch_states<T, input_layout::strided>(storage, core::term_at(term), in, to);
}

template <class T>
void launch_any_line_states(const workspace::storage& storage, std::size_t term,
                            const line_operands<T, input_layout::any>& in, const line_states& to) {
  launch_states<T, input_layout::any>(storage, core::term_at(term), in, to);
}

template <class T, input_layout layout>
void launch_segment_states(const workspace::storage& storage, std::size_t term, const line_source<T, layout>& in,
                           const line_states& to) {
  launch_segments_of<state_of_line<T>, layout>(storage, in, sizeof(T), to, core::term_at(term));
}

template void launch_segment_states(const workspace::storage&, std::size_t,
                                    const line_source<EXACTDOT_ELEMENT, input_layout::strided>&,
                                    const line_states&);
template void launch_segment_states(const workspace::storage&, std::size_t,
                                    const line_source<EXACTDOT_ELEMENT, input_layout::any>&, const line_states&);
template void launch_line_states(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                                 const line_states&);
template void launch_any_line_states(const workspace::storage&, std::size_t,
                                     const line_operands<EXACTDOT_ELEMENT, cuda_engine::input_layout::any>&,
                                     const line_states&);

}  // namespace exactdot::inline v0_3::cuda
