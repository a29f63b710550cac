// Launches a plan's kernel: launch.cu and launch_converted.cu, compiled once per carrier, and what reduce.cpp adds
// for every type.
#pragma once

#include <cuda/destination.hpp>
#include <cuda/extremum_rank.hpp>
#include <cuda/line_extremum.hpp>
#include <cuda/workspace.hpp>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cuda {

/// Whether the current device runs kernels that are compiled for compute capability 9.0 or more.
[[nodiscard]] bool kernels_have_capability_9();

/// Enqueues the plan's sum on the workspace's stream. The inputs lie in memory that the device reaches.
/// Throws errc::device_failure if CUDA refuses the launch.
template <class Carrier>
void launch(const workspace::storage& storage, const engine::plan& plan, const cuda_engine::destination& to);

/// The same for inputs in layout `converted`.
template <class Carrier>
void launch_converted(const workspace::storage& storage, const engine::plan& plan,
                      const cuda_engine::destination& to);

/// launch for the plan's carrier.
void launch(const workspace::storage& storage, const engine::plan& plan, const cuda_engine::destination& to);

/// Enqueues the finish of the states in the workspace (storage.words), which become zero; see finish_kernel.cuh.
void finish_states(const workspace::storage& storage, const core::state_layout& layout,
                   const cuda_engine::finish_request& asked, const cuda_engine::destination& to);
/// Enqueues: *target += the state in the workspace, as one more state of its layout.
void add_to_layout(const workspace::storage& storage, const core::state_layout& layout,
                   const core::state_layout& target_layout, std::int64_t* target);
/// Enqueues the finish of the sum of mode fast in the workspace (storage.scratch).
void finish_fast(const workspace::storage& storage, element_type carrier, std::uint64_t count,
                 const cuda_engine::destination& to);

/// Enqueues the search; see extremum_kernel.cuh. Without a destination, the result stays in storage.extremum.
void launch_extremum(const workspace::storage& storage, const engine::plan& plan,
                     const cuda_engine::destination& to);

/// Enqueues a variance or its root; see moments_kernel.cuh. If the bounds leave it undecided, storage.moments says
/// so.
void launch_moments(const workspace::storage& storage, const engine::plan& plan,
                    const cuda_engine::destination& to);

/// Enqueues the results of lines of a term, by its index; see batch_kernel.cuh. There is at least one line.
template <class Carrier, cuda_engine::input_layout layout>
void launch_lines(const workspace::storage& storage, std::size_t term,
                  const cuda_engine::line_operands<Carrier>& in, const cuda_engine::line_results& out);
/// The same of short columns, of which there are many.
template <class Carrier>
void launch_short_columns(const workspace::storage& storage, std::size_t term,
                          const cuda_engine::line_operands<Carrier>& in, const cuda_engine::line_results& out);
/// The same for elements that are converted, in layout `any` or `converted`. `in.first.n` counts addends; `bytes`:
/// of a line of one input.
template <class Carrier, cuda_engine::input_layout layout>
void launch_any_lines(const workspace::storage& storage, std::size_t term,
                      const cuda_engine::line_operands<Carrier, cuda_engine::input_layout::any>& in,
                      std::size_t bytes, const cuda_engine::line_results& out);

/// Enqueues the extreme elements of lines, or their indices; see line_extremum_kernel.cuh. There is at least one
/// line.
template <int bytes>
void launch_line_extrema(const workspace::storage& storage, const cuda_engine::element_lines& in,
                         const cuda_engine::rank_rule& rule, const cuda_engine::extremum_results& out);

/// The same of segments; see extremum_work.cuh.
template <int bytes>
void launch_extremum_segments(const workspace::storage& storage, const cuda_engine::element_source& in,
                              const cuda_engine::extremum_request& asked, const cuda_engine::extremum_results& out);
/// Enqueues the results of segments, and of lines that all blocks share; see segment_kernel.cuh and
/// split_line_kernel.cuh. `bytes`: of an element. There is at least one line; those of launch_split_lines are long.
template <class Carrier, cuda_engine::input_layout layout>
void launch_segments(const workspace::storage& storage, std::size_t term,
                     const cuda_engine::line_source<Carrier, layout>& in, std::size_t bytes,
                     const cuda_engine::line_results& out, const cuda_engine::line_request& asked);
template <class Carrier, cuda_engine::input_layout layout>
void launch_split_lines(const workspace::storage& storage, std::size_t term,
                        const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_results& out);
/// Columns: lines side by side. In layout `converted` those of can_convert_columns.
template <class Carrier, cuda_engine::input_layout layout>
void launch_columns(const workspace::storage& storage, std::size_t term,
                    const cuda_engine::lines_of<Carrier, layout>& in, const cuda_engine::line_results& out);
/// Variances, or their roots, of rows and segments, and of columns.
template <class Carrier, cuda_engine::input_layout layout>
void launch_line_moments(const workspace::storage& storage, const cuda_engine::line_source<Carrier, layout>& in,
                         std::size_t bytes, const cuda_engine::line_results& out,
                         const cuda_engine::line_request& asked);
template <class Carrier, cuda_engine::input_layout layout>
void launch_column_moments(const workspace::storage& storage, const cuda_engine::lines_of<Carrier, layout>& in,
                           const cuda_engine::line_results& out, const cuda_engine::line_request& asked);
/// The same of 64-bit integers, rows, columns and segments. `in` has one addend for each element; b = a.
void launch_integer_moments(const workspace::storage& storage,
                            const cuda_engine::line_source<double, cuda_engine::input_layout::any>& in,
                            const cuda_engine::line_results& out, const cuda_engine::line_request& asked);
/// Enqueues: storage.bad_segment tells the lowest segment whose offsets decrease or pass the end of `length`
/// elements; or, if `finds_empty`, storage.empty_segment the lowest that is empty.
void check_offsets(const workspace::storage& storage, const cuda_engine::offset_array& offsets, std::size_t count,
                   std::uint64_t length, bool finds_empty);

/// Launches a plan and waits for the bits of its result. The workspace is locked. Throws errc::overflow.
[[nodiscard]] std::uint64_t run(workspace& on, const engine::plan& plan);
/// Enqueues: *value = the result, in device memory.
void run(const workspace::storage& storage, const engine::plan& plan, void* value);
/// Enqueues: words += the exact state of the plan's term, of its carrier's layout, in device memory.
void add(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words,
         const unsigned* unless = nullptr);
/// The same for every sum that the plan needs: of moments, two states that follow each other. `unless`: see
/// destination.
void add_states(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words,
                const unsigned* unless = nullptr);
/// Throws errc::overflow if an integer result of an earlier call did not fit; waits for the stream.
void check_status(workspace::storage& storage);

}  // namespace exactdot::inline v0_3::cuda
