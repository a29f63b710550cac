// Mode fast of few long columns: several blocks add subtrees of the same columns.
//
//   block        the subtree of 2^k tiles of neighbouring columns, each by some of its threads (fast_line_kernel.cuh)
//   last block   of those columns: adds all subtrees as the tree of order v1 does, and stores
//
// No block waits for another: who comes last is found by a fence and a counter (M. Harris: threadFenceReduction).
// Lines need not lie side by side: this kernel also computes those along several axes, of any element type, as a
// block's alone if there are many.
#pragma once

#include <cuda/fast_line_kernel.cuh>
#include <cuda/split_lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The root of a column's `parts` subtrees, in its first thread. By all threads of the block: each adds 2^k
/// neighbouring ones. `node`: of this column, the next part's `step` further.
template <class T, int lanes, int columns>
__device__ __forceinline__ T root_of_parts(const volatile T* node, unsigned step, unsigned parts,
                                           column_tiles<T, lanes, columns>& storage, unsigned turn) {
  constexpr int max_levels = 16;  // of max_fast_nodes
  const unsigned thread = threadIdx.x / columns, column = threadIdx.x % columns;
  int log2_range = 0;
  while (((parts - 1) >> log2_range) >= lanes) ++log2_range;
  const unsigned first = thread << log2_range, rest = first < parts ? parts - first : 0;
  const unsigned count = rest < 1U << log2_range ? rest : 1U << log2_range;
  T waiting[max_levels];
  for (unsigned i = 0; i < count; ++i) push_node(waiting, i, T{node[(first + i) * step]});
  storage.parts[turn][thread][column] = count != 0 ? root_of_nodes(waiting, count) : T{0};
  __syncthreads();
  if (thread != 0) return T{0};
  const unsigned ranges = ((parts - 1) >> log2_range) + 1;
  for (unsigned i = 0; i < ranges; ++i) push_node(storage.waiting[column], i, storage.parts[turn][i][column]);
  return root_of_nodes(storage.waiting[column], ranges);
}

/// `parts` blocks for each panel of `columns` lines: ⌈tiles / 2^log2_tiles⌉. If these are more than one, at most
/// max_split_blocks panels, and max_fast_nodes parts of lines. `sums`: of fast_column_kernel.
template <class T, class Term, int threads, int columns, int sums, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    split_fast_column_kernel(const __grid_constant__ Lines in, int log2_tiles, unsigned parts,
                             const __grid_constant__ line_results out, line_state* state) {
  constexpr int lanes = threads / columns;
  static_assert(threads % columns == 0 && lanes * sums == static_cast<int>(order_v1<T>::lanes));
  static_assert(sizeof(T) * max_fast_nodes <= sizeof state->partial);
  __shared__ column_tiles<T, lanes, columns> storage;
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const unsigned column = threadIdx.x % columns;
  const std::size_t panels = (in.count + columns - 1) / columns;
  const std::size_t tiles = tiles_of<T>(in.first.n), of_part = std::size_t{1} << log2_tiles;
  unsigned turn = 0;
  for (std::size_t unit = blockIdx.x; unit < panels * parts; unit += gridDim.x) {
    const std::size_t panel = unit / parts, part = unit % parts;
    const std::size_t index = panel * columns + column, first = part * of_part;
    const bool is_line = index < in.count;
    const auto line = in.line(is_line ? index : panel * columns);
    volatile T* const nodes = reinterpret_cast<volatile T*>(state->partial) + column;
    T sum = sum_of_column_tiles<Term, sums>(reader_of_elements<Term>(line), line.n, first,
                                            parts == 1 || tiles - first < of_part ? tiles : first + of_part,
                                            storage, turn);
    if (parts > 1) {
      if (threadIdx.x < columns) nodes[unit * columns] = sum;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) {
        is_last = atomicAdd(&state->arrived[panel], 1U) == parts - 1;
        if (is_last) state->arrived[panel] = 0;
        __threadfence();  // before any thread reads the other blocks' nodes
      }
      __syncthreads();
      const bool combines = is_last;
      __syncthreads();
      if (!combines) continue;
      sum = root_of_parts(nodes + panel * parts * columns, columns, parts, storage, turn);
      turn ^= 1;
    }
    store_fast_line(out, index, line.n, sum, threadIdx.x < columns && is_line);
  }
  end_of_input(~std::size_t{0});
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
