// Launches of the kernels of states of lines and segments: launch_line_states.cu, compiled once per carrier.
#pragma once

#include <cuda/line_source.hpp>
#include <cuda/line_states.hpp>
#include <cuda/workspace.hpp>

namespace exactdot::inline v0_3::cuda {

/// Enqueues: the sums of lines of a term, by its index, are added to their states. There is at least one line.
template <class Carrier>
void launch_line_states(const workspace::storage& storage, std::size_t term,
                        const cuda_engine::line_operands<Carrier>& in, const cuda_engine::line_states& to);
/// The same for elements of any type and byte order. `in.first.n` counts addends.
template <class Carrier>
void launch_any_line_states(const workspace::storage& storage, std::size_t term,
                            const cuda_engine::line_operands<Carrier, cuda_engine::input_layout::any>& in,
                            const cuda_engine::line_states& to);
/// The same of segments, at least one; layouts strided and any. Nothing is added to those whose offsets are wrong,
/// which storage.bad_segment notes.
template <class Carrier, cuda_engine::input_layout layout>
void launch_segment_states(const workspace::storage& storage, std::size_t term,
                           const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_states& to);

}  // namespace exactdot::inline v0_3::cuda
