// Reductions of rows, columns, segments and groups of arrays in GPU memory, ordered by a stream.
//
// What the GPU engine lacks it refuses, before it writes; so nothing here knows which reductions and shapes it has.
// In a build without the CUDA engine (no_gpu.cpp) these functions throw. The GIL is held on entry and on return,
// and released while the call launches work or waits.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/shapes.hpp>
#include <exactdot/states.hpp>
#include <plan/normalise.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>
#include <vector>

namespace exactdot::python {

/// A call with many results, and the arrays that it reads and writes.
struct gpu_batch {
  reduction what;
  any_grid a, b;  ///< b is a for a reduction of one input
  any_results out;
  options chosen;
  std::int64_t ddof;
  std::vector<const imported_array*> arrays;
  int device;
};

/// These do not wait; they keep the arrays alive as keep_alive_until_done does. An integer result that does not fit
/// is stored as 0.
void gpu_reduce_grid(const gpu_batch& asked, const stream_choice& stream);
void gpu_reduce_segments(const gpu_batch& asked, const any_vector& a, const any_vector& b,
                         const any_offsets& offsets, const stream_choice& stream);
void gpu_reduce_groups(const gpu_batch& asked, const any_keys& keys, const stream_choice& stream);
void gpu_count_groups(const gpu_batch& asked, const any_keys& keys, const stream_choice& stream);

/// A call that computes states: the words that it clears and adds to, and all its arrays.
struct gpu_states {
  state_format of;
  state_span words;
  std::vector<const imported_array*> arrays;
  int device;
};

/// words = the states of many vectors. As gpu_reduce_grid and its like.
void gpu_grid_states(const gpu_states& asked, const any_grid& a, const any_grid& b, const stream_choice& stream);
void gpu_segment_states(const gpu_states& asked, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, const stream_choice& stream);
void gpu_group_states(const gpu_states& asked, const any_grid& a, const any_grid& b, const any_keys& keys,
                      const stream_choice& stream);

/// The only result, for which it waits. `asked.out` is not read.
any_scalar gpu_reduce_grid(const gpu_batch& asked, element_type result, const stream_choice& stream);

/// A list of vectors: cuda::vector_list, and the arrays that the call reads and writes.
struct gpu_list {
  reduction what = reduction::sum;
  std::vector<any_vector> vectors;
  std::vector<std::size_t> ends;
  any_results out;
  std::vector<const imported_array*> arrays;
  int device = 0;
};
/// Vectors of one result, at most.
inline constexpr std::size_t max_gpu_list = 31'800;

/// As gpu_reduce_grid.
void gpu_reduce_list(const gpu_list& asked, const stream_choice& stream);
[[nodiscard]] any_scalar gpu_reduce_list(const gpu_list& asked, element_type result, const stream_choice& stream);

/// Arrays normalised along their last axis. As gpu_reduce_grid.
struct gpu_rows {
  const engine::normalise_request& asked;
  std::vector<const imported_array*> arrays;
  int device;
};
void gpu_normalise(const gpu_rows& asked, const stream_choice& stream);
/// Gradients of such arrays, whose memory the caller keeps until the stream has done the call.
void gpu_gradients(const engine::gradient_request& asked, int device, const stream_choice& stream);

/// The words of the exact state of a reduction of an array. Waits for them.
std::vector<std::int64_t> gpu_words_of_grid(reduction what, const any_grid& x, int device,
                                            const stream_choice& stream);

/// Waits for the stream and throws what earlier calls on it could not: cuda::workspace::check.
void gpu_check(int device, const stream_choice& stream);

/// *out = a value of its type. Waits for the stream.
void gpu_store(const any_scalar& value, const imported_array& out, const stream_choice& stream);

}  // namespace exactdot::python
