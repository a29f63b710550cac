// The router: which kernels compute the results of a call on many vectors. The one place of that choice, from
// numbers alone: tests/cuda/kernel_table writes the table of docs/architecture.md from it, without a GPU.
//
// A route is a shape, that is which threads read which elements, and a layout, that is how they load these. The
// launch configuration of a route is a row of core/line_tuning.hpp, found where it is launched.
#pragma once

#include <cuda/core/destination.hpp>
#include <optional>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// What is computed of each vector.
enum class line_work : unsigned char { sum, moments, integer_moments, extremum, state };

/// How the elements of vectors lie in memory.
enum class arrangement : unsigned char {
  rows,     ///< those of a vector follow each other
  columns,  ///< those of neighbouring vectors do
  strided,  ///< neither
  axes,     ///< no one stride describes those of a vector
};

/// What the choice depends on.
struct vectors_of_call {
  line_work computes = line_work::sum;
  arrangement lie = arrangement::rows;
  bool are_segments = false;
  bool are_carriers = true;       ///< elements of all inputs, in native byte order
  bool convert_by_packs = false;  ///< 16 bytes at a time, in registers
  bool repeats_b = false;         ///< one second vector for all, which stays in the cache
  bool have_columns = false;      ///< along some result axis, not only that of a launch
  int inputs = 1;
  std::size_t bytes = 4;  ///< of an element
  std::size_t carrier_bytes = 4;
  int log2_parts = 0;         ///< of the addends that an element makes
  std::size_t of_launch = 1;  ///< vectors of a launch
  std::size_t vectors = 1;    ///< of the call
  /// The second vectors of a launch on rows, each of which all rows are multiplied with; 1: any other launch.
  std::size_t right_sides = 1;
  std::size_t n = 0;  ///< elements of each; of segments of all
  int multiprocessors = 1;
};

enum class shape : unsigned char {
  vectors,        ///< one vector after the other, by the whole grid
  lines,          ///< some lanes, a warp or a block each: shape/lines.cuh, shape/extremum_lines.cuh
  split_lines,    ///< shared equally by all blocks: shape/split_lines.cuh
  segments,       ///< classes of lengths: shape/segments.cuh; lines of one length, too
  columns,        ///< neighbouring threads read neighbouring columns: shape/columns.cuh
  short_columns,  ///< some of a thread: shape/short_columns.cuh
  right_sides,    ///< rows, each with all of few vectors: shape/tile_products.cuh
};

struct route {
  shape by = shape::lines;
  input_layout layout = input_layout::contiguous;
};

[[nodiscard]] route route_of(const vectors_of_call& call);
/// The same but for shape::vectors.
[[nodiscard]] route route_of_lines(const vectors_of_call& call);

/// The axis of a result that is alone.
inline constexpr engine::shared_axis one_line{1, 0, 0, 0, 0};

/// Whether the variance of one vector is that of a line: of 64-bit integers, of which the kernel of vectors reads
/// each part by itself, and of long vectors that are converted by packs. Of shorter ones the second launch takes
/// time.
[[nodiscard]] bool is_moments_of_line(const vectors_of_call& call);

/// Of a batch that has no keys, of whose results those along the axis `lines` are a launch.
[[nodiscard]] vectors_of_call describe(const engine::batch& of, const engine::shared_axis& lines,
                                       int multiprocessors);
/// Rows that are multiplied with each of some vectors: the axis along which these lie.
struct right_sides_axis {
  std::size_t position;   ///< among the result axes of the batch
  bool a_is_rows = true;  ///< else b is
};
/// Of a launch on the axis `lines` of a batch of dot products, if kernels multiply their elements so.
[[nodiscard]] std::optional<right_sides_axis> right_sides_of(const engine::batch& of,
                                                             const engine::shared_axis& lines);
/// The same of states, to which sums of this term are added.
[[nodiscard]] vectors_of_call describe_states(const engine::batch& of, const engine::shared_axis& lines,
                                              const core::term_info& term, int multiprocessors);
/// Of a vector.
[[nodiscard]] vectors_of_call describe(const engine::plan& one, int multiprocessors);

/// Whether the rows of a batch that has keys are sorted by these, and added as they lie; else each column is a pass
/// of tables. Columns have to follow each other, and to have kernels (group/rows.hpp).
[[nodiscard]] bool takes_rows(const engine::batch& of);

}  // namespace exactdot::inline v0_3::cuda_engine
