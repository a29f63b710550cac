// Launches for rows of state words; see state_kernel.cuh. There is at least one row.
#pragma once

#include <cuda/peer_rows.hpp>
#include <cuda/workspace.hpp>
#include <exactdot/cuda/states.hpp>

namespace exactdot::inline v0_3::cuda {

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
