// The kernels of states of lines and segments of one carrier, EXACTDOT_ELEMENT; terms are read at run time.
// One object per carrier.
#include <cuda/configured_lines.cuh>
#include <cuda/launch_line_states.hpp>
#include <cuda/segment_state_kernel.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

/// A warp has a line up to this length, otherwise a block: reasoned from the conversion of each warp's expansions,
/// which takes as long as a warp's lanes read some hundred elements each.
constexpr std::size_t longest_line_of_warp = 4096;

constexpr int threads = 128, blocks_per_multiprocessor = 8;

/// Long lines, those of the list or all, are shared by one wave of blocks.
template <class T, input_layout layout>
void launch_split_states(const workspace::storage& storage, const core::term_info& term,
                         const line_source<T, layout>& in, const split_plan& plan, const line_states& to) {
  constexpr int of_block = 512;
  const unsigned blocks = std::min(static_cast<unsigned>(storage.multiprocessors), max_state_blocks);
  launch_kernel(storage, "launching the kernel of states of long lines", {blocks, of_block},
                split_state_kernel<T, layout, of_block>, term, in, plan, to, storage.lines);
}

template <class T, input_layout layout>
void launch_states(const workspace::storage& storage, const core::term_info& term, const lines_of<T, layout>& in,
                   const line_states& to) {
  line_source<T, layout> source;
  source.lines = in;
  source.length = in.first.n >> source.log2_parts();
  const std::size_t bytes = source.length * sizeof(T) * static_cast<std::size_t>(term.inputs);
  // few long ones would leave most multiprocessors idle
  if (splits_lines(bytes) && in.count < 4 * static_cast<std::size_t>(storage.multiprocessors)) {
    split_plan plan;
    const double all = static_cast<double>(in.count) * static_cast<double>(source.length);
    plan.unit = std::max<std::uint64_t>(256, static_cast<std::uint64_t>(all * 0x1p-40));
    return launch_split_states<T, layout>(storage, term, source, plan, to);
  }
  const bool by_warps = in.first.n <= longest_line_of_warp;
  const unsigned blocks = blocks_for(storage, in.count, by_warps ? threads / 32 : 1, blocks_per_multiprocessor);
  if (by_warps) {
    launch_kernel(storage, "launching the kernel of states", {blocks, threads},
                  line_state_kernel<T, layout, threads, 32>, term, in, to);
  } else {
    launch_kernel(storage, "launching the kernel of states", {blocks, threads},
                  line_state_kernel<T, layout, threads, threads>, term, in, to);
  }
}

template <class T, input_layout layout>
void launch_segments(const workspace::storage& storage, const core::term_info& term,
                     const line_source<T, layout>& in, const line_states& to) {
  constexpr std::size_t warps = threads / 32;
  const std::size_t resident = static_cast<std::size_t>(storage.multiprocessors) * blocks_per_multiprocessor;
  const split_plan plan = plan_of_segments(in.lines.count, in.length, sizeof(T), resident * warps);
  launch_kernel(storage, "launching the kernel of states of segments",
                {blocks_for(storage, in.lines.count, warps * plan.of_warp, 2 * blocks_per_multiprocessor), threads},
                segment_state_kernel<T, layout, threads>, term, in, plan, to, storage.lines, storage.bad_segment);
  if (in.length > plan.long_from) launch_split_states<T, layout>(storage, term, in, plan, to);
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
  launch_segments<T, layout>(storage, core::term_at(term), in, to);
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
