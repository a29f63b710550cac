// The kernels of states of lines of one carrier, EXACTDOT_ELEMENT, for every term. One object per carrier.
#include <cuda/configured_lines.cuh>
#include <cuda/launch_line_states.hpp>
#include <cuda/line_state_kernel.cuh>

namespace exactdot::cuda {
namespace {

/// A warp has a line up to this length, otherwise a block: reasoned from the conversion of each warp's expansions,
/// which takes as long as a warp's lanes read some hundred elements each.
constexpr std::size_t longest_line_of_warp = 4096;

template <class T, class Term, input_layout layout>
void launch_states(const workspace::storage& storage, const lines_of<T, layout>& in, const line_states& to) {
  constexpr int threads = 128, blocks_per_multiprocessor = 8;
  const bool by_warps = in.first.n <= longest_line_of_warp;
  const unsigned blocks = blocks_for(storage, in.count, by_warps ? threads / 32 : 1, blocks_per_multiprocessor);
  if (by_warps) {
    launch_kernel(storage, "launching the kernel of states", {blocks, threads},
                  line_state_kernel<T, Term, layout, threads, 32>, in, to);
  } else {
    launch_kernel(storage, "launching the kernel of states", {blocks, threads},
                  line_state_kernel<T, Term, layout, threads, threads>, in, to);
  }
}

}  // namespace

template <class T>
void launch_line_states(const workspace::storage& storage, std::size_t term, const line_operands<T>& in,
                        const line_states& to) {
  with_term_of_lines(term,
                     [&]<class Term>(Term) { launch_states<T, Term, input_layout::strided>(storage, in, to); });
}

template <class T>
void launch_any_line_states(const workspace::storage& storage, std::size_t term,
                            const line_operands<T, input_layout::any>& in, const line_states& to) {
  with_term_of_lines(term, [&]<class Term>(Term) { launch_states<T, Term, input_layout::any>(storage, in, to); });
}

template void launch_line_states(const workspace::storage&, std::size_t, const line_operands<EXACTDOT_ELEMENT>&,
                                 const line_states&);
template void launch_any_line_states(const workspace::storage&, std::size_t,
                                     const line_operands<EXACTDOT_ELEMENT, cuda_engine::input_layout::any>&,
                                     const line_states&);

}  // namespace exactdot::cuda
