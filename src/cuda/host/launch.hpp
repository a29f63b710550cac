// The launches of all kernels, for the host code: of one vector, of many by a route, of groups, of rows of state
// words. Most are templates that a .cu file instantiates, once per carrier or size of an element.
#pragma once

#include <cuda/core/destination.hpp>
#include <cuda/core/lines.hpp>
#include <cuda/group/rows.hpp>
#include <cuda/host/router.hpp>
#include <cuda/host/workspace.hpp>
#include <cuda/words/rows.hpp>
#include <cuda/work/extremum_lines.hpp>
#include <cuda/work/extremum_rank.hpp>
#include <exactdot/cuda/states.hpp>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cuda_engine {
struct rows_and_vectors;
struct product_results;
struct gradient_rows;
struct normalised_rows;
}  // namespace exactdot::inline v0_3::cuda_engine

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

/// Enqueues the finish of the states in the workspace (storage.words), which become zero; see launch_finishes.cu.
void finish_states(const workspace::storage& storage, const core::state_layout& layout,
                   const cuda_engine::finish_request& asked, const cuda_engine::destination& to);
/// Enqueues: *target += the state in the workspace, as one more state of its layout.
void add_to_layout(const workspace::storage& storage, const core::state_layout& layout,
                   const core::state_layout& target_layout, std::int64_t* target);
/// Enqueues the finish of the sum of mode fast in the workspace (storage.scratch).
void finish_fast(const workspace::storage& storage, element_type carrier, std::uint64_t count,
                 const cuda_engine::destination& to);

/// Enqueues the search; see shape/extremum_vector.cuh. Without a destination, the result stays in storage.extremum.
void launch_extremum(const workspace::storage& storage, const engine::plan& plan,
                     const cuda_engine::destination& to);

/// Enqueues a variance or its root; see shape/moments_vector.cuh. If the bounds leave it undecided, storage.moments
/// says so.
void launch_moments(const workspace::storage& storage, const engine::plan& plan,
                    const cuda_engine::destination& to);

// Many vectors, by a route (router.hpp). There is at least one. Terms by their index.

/// Sums of lines; see shape/lines.cuh.
template <class Carrier, cuda_engine::input_layout layout>
void launch_lines(const workspace::storage& storage, std::size_t term,
                  const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_results& out);

/// Extreme elements of lines, or their indices; see shape/extremum_lines.cuh.
template <int bytes>
void launch_line_extrema(const workspace::storage& storage, const cuda_engine::route& chosen,
                         const cuda_engine::element_lines& in, const cuda_engine::rank_rule& rule,
                         const cuda_engine::extremum_results& out);

/// The same of segments; see work/extremum_work.cuh.
template <int bytes>
void launch_extremum_segments(const workspace::storage& storage, cuda_engine::input_layout layout,
                              const cuda_engine::element_source& in, const cuda_engine::extremum_request& asked,
                              const cuda_engine::extremum_results& out);
/// Sums of segments, and of lines that all blocks share; see shape/segments.cuh and shape/split_lines.cuh. Lines of
/// launch_split_lines are long.
template <class Carrier, cuda_engine::input_layout layout>
void launch_segments(const workspace::storage& storage, std::size_t term,
                     const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_results& out,
                     const cuda_engine::line_request& asked);
template <class Carrier, cuda_engine::input_layout layout>
void launch_split_lines(const workspace::storage& storage, std::size_t term,
                        const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_results& out);
/// Columns: lines side by side, `by` columns or short columns.
template <class Carrier, cuda_engine::input_layout layout>
void launch_columns(const workspace::storage& storage, cuda_engine::shape by, std::size_t term,
                    const cuda_engine::lines_of<Carrier, layout>& in, const cuda_engine::line_results& out);
/// Sums of the products of each row with each vector, of floats of 16 or 32 bits.
void launch_right_sides(const workspace::storage& storage, const cuda_engine::rows_and_vectors& in,
                        const cuda_engine::product_results& out);
/// All elements of rows of at least one, normalised; see shape/normalised_rows.cuh.
void launch_normalise(const workspace::storage& storage, const cuda_engine::normalised_rows& in);
/// Their gradients; see shape/normalised_gradient.cuh.
void launch_gradients(const workspace::storage& storage, const cuda_engine::gradient_rows& in);
/// Variances, or their roots, of rows and segments, and of columns.
template <class Carrier, cuda_engine::input_layout layout>
void launch_line_moments(const workspace::storage& storage, cuda_engine::shape by,
                         const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_results& out,
                         const cuda_engine::line_request& asked);
template <class Carrier, cuda_engine::input_layout layout>
void launch_column_moments(const workspace::storage& storage, cuda_engine::shape by,
                           const cuda_engine::lines_of<Carrier, layout>& in, const cuda_engine::line_results& out,
                           const cuda_engine::line_request& asked);
/// The same of 64-bit integers, rows, columns and segments. `in` has one addend for each element; b = a.
void launch_integer_moments(const workspace::storage& storage, cuda_engine::shape by,
                            const cuda_engine::line_source<double, cuda_engine::input_layout::any>& in,
                            const cuda_engine::line_results& out, const cuda_engine::line_request& asked);
/// Enqueues: the sums of lines or segments of a term are added to their states; layouts strided and any. Nothing is
/// added to those whose offsets are wrong, which storage.bad_segment notes.
template <class Carrier, cuda_engine::input_layout layout>
void launch_states(const workspace::storage& storage, cuda_engine::shape by, std::size_t term,
                   const cuda_engine::line_source<Carrier, layout>& in, const cuda_engine::line_states& to);

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

// Launches the kernels of groups: group/launch_groups.cu, which compiles them, for group_engine.cpp.

void choose_group_scheme(cuda_engine::group_job& job, bool needs_counts, const cuda_engine::group_limits& limits);
/// Of extrema and of counts: `bytes` a group in shared memory.
void choose_group_words(cuda_engine::group_job& job, std::size_t bytes, const cuda_engine::group_limits& limits);

/// The functions of group/sums.cuh on the workspace's stream.
void launch_first_look(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared,
                       const core::state_layout& layout);
void launch_second_look(const workspace::storage& storage, const cuda_engine::group_job& job,
                        const core::state_layout& layout, std::size_t open, std::size_t room);
void launch_group_extrema(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared,
                          const cuda_engine::rank_rule& rule);
void launch_group_counts(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared);
/// Notes the first key out of range, unless such elements are skipped.
void launch_key_check(const workspace::storage& storage, const cuda_engine::group_input& in,
                      cuda_engine::wide_unsigned* first_bad_key);
/// enqueue_group_states of group/states.cuh.
void launch_group_states(const workspace::storage& storage, const cuda_engine::group_input& in,
                         const cuda_engine::group_state_pass& pass, std::size_t room,
                         const cuda_engine::group_limits& limits, cuda_engine::wide_unsigned* first_bad_key);

// Rows by keys: group/sort_rows.cu and host/launch_row_groups.cu, for row_group_engine.cpp.

/// Scratch to sort these rows.
[[nodiscard]] std::size_t bytes_to_sort_rows(const cuda_engine::group_input& in);
/// Enqueues: to.rows[0] lists the rows by their keys, those out of range last; to.first says where groups begin;
/// and to.status the first key out of range, unless such rows are skipped. `bytes`: of scratch.
void launch_row_sort(const workspace::storage& storage, const cuda_engine::group_input& in,
                     cuda_engine::row_memory& to, std::size_t bytes);
/// Enqueues sums of a term, or variances, of n rows.
template <class Carrier>
void launch_row_groups(const workspace::storage& storage, const core::term_info& term, bool are_moments,
                       const cuda_engine::row_groups& in, std::size_t n, const cuda_engine::row_results& out,
                       const cuda_engine::line_request& asked);

// Launches for rows of state words; see words/state_kernel.cuh. There is at least one row.

/// Enqueues: result i of `to.value` = row i, finished as to.rule says; of a state that is no row of moments, the
/// quotient by to.count.
void round_rows(const workspace::storage& storage, const cuda_engine::word_rows& rows,
                const cuda_engine::row_finish& asked, const cuda_engine::destination& to);

/// Enqueues: rows += others, or rows become canonical if `others` is null.
void merge_rows(const workspace::storage& storage, const cuda_engine::word_rows& rows, const std::int64_t* others,
                std::size_t other_stride);

/// Enqueues: *count += n.
void add_count(const workspace::storage& storage, std::int64_t* count, std::int64_t n);

/// Enqueues a rank's part of a sum among devices.
void round_peer_rows(const workspace::storage& storage, const cuda_engine::peer_call& call,
                     const cuda_engine::destination& to);

/// Loads its kernels on the current device. A first launch would, and could then wait for a device that itself
/// waits for that launch.
void load_peer_kernels();

/// What round is asked for, when it has been checked.
struct checked_rounding {
  cuda_engine::word_rows rows;
  cuda_engine::row_finish finish;
  cuda_engine::destination to;
};
[[nodiscard]] checked_rounding check_rounding(const workspace::storage& storage, const state_rows& states,
                                              reduction what, element_type type, void* results,
                                              const finish_options& options);

}  // namespace exactdot::inline v0_3::cuda
