// Mode fast of lines: one result for each of many vectors, in one launch, with the bits of order v1 of each alone.
//
//   some lanes of a warp, or a warp   one tile of a line after the other                       fast_line_tile.cuh
//   or a block                        its warps neighbouring subtrees of 2^k tiles
//   or a block                        tiles of neighbouring columns, each by some of its threads
//   one thread                        adds tiles as the tree does, takes the root or quotient, and stores
//
// Bound: every element is read once, and added as often as by the vector's kernel. Lines: a class with `count` and
// line(i), as line_operands.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/fast_finish.cuh>
#include <cuda/fast_line_tile.cuh>
#include <cuda/line_load.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Stores a result of another type than the sum's. By all lanes of a warp; `stores`: this one has a result. Not
/// inlined; lanes that return one by one would not meet at the next collective (docs/experiments.md).
template <class T>
[[gnu::noinline]] __device__ void store_converted_line(const line_results& out, std::size_t i, T sum, bool stores) {
  if (stores) {
    destination to = out.to;
    to.value = out.at(i);
    store_anywhere(to, core::converted_word(to.rule, sum));
  }
  __syncwarp();
}

/// Stores the result of line i, of n elements. By all lanes of a warp; `stores`: this one has a sum.
template <class T>
__device__ __forceinline__ void store_fast_line(const line_results& out, std::size_t i, std::size_t n, T sum,
                                                bool stores) {
  sum = finished_sum(out.to.rule, n, sum);
  if (!out.to.rule.gives<T>()) return store_converted_line(out, i, sum, stores);
  if (stores) *reinterpret_cast<T*>(out.at(i)) = sum != sum ? core::canonical_nan<T>() : sum;
}

/// Whether the packs of a contiguous line can be loaded at once.
template <class Term, class T>
__device__ __forceinline__ bool has_aligned_packs_of_line(const operands<T, input_layout::strided>& line) {
  const auto a = reinterpret_cast<std::uintptr_t>(line.a), b = reinterpret_cast<std::uintptr_t>(line.b);
  return (Term::inputs == 2 ? a | b : a) % sizeof(pack<T>) == 0;
}
template <class Term, class T>
__device__ __forceinline__ bool has_aligned_packs_of_line(const operands<T, input_layout::any>& line) {
  const auto a = reinterpret_cast<std::uintptr_t>(line.a.data), b = reinterpret_cast<std::uintptr_t>(line.b.data);
  return (Term::inputs == 2 ? a | b : a) % (2 * pack<T>::count) == 0;  // of 16-bit elements
}

/// f(reader of the line). `aligned`: has_aligned_packs_of_line in all lanes of the warp.
template <class Term, input_layout layout, class T, input_layout loads, class F>
__device__ __forceinline__ T with_reader(const operands<T, loads>& line, bool aligned, F f) {
  if constexpr (layout == input_layout::contiguous) {
    if (aligned) return f(contiguous_reader<Term, true, T>{line.a, line.b});
    return f(contiguous_reader<Term, false, T>{line.a, line.b});
  } else if constexpr (layout == input_layout::converted) {
    const auto *const a = reinterpret_cast<const std::uint16_t*>(line.a.data),
                      *const b = reinterpret_cast<const std::uint16_t*>(line.b.data);
    const bool is_half = line.a.type == element_type::float16;
    if (aligned) return f(converting_reader<Term, true>{a, b, is_half});
    return f(converting_reader<Term, false>{a, b, is_half});
  } else {
    return f(element_reader<Term, T, loads>{line});
  }
}

/// The subtree of `count` tiles from tile `first` on of a line of n elements, in the team's first lane. By all
/// lanes of a warp; `turns`: the greatest count of its teams. `waiting`: of the team, in shared memory.
template <class Term, class Shape, class T, class Reader>
__device__ __forceinline__ T sum_of_tiles(const Reader& line, std::size_t n, std::size_t first, std::size_t count,
                                          std::size_t turns, T* waiting) {
  constexpr std::size_t size = order_v1<T>::tile;
  const auto tile_at = [&](std::size_t i) {
    const std::size_t start = (first + i) * size, left = i < count ? n - start : 0;
    return tile_of_team<Term, Shape, T>(line, start, static_cast<int>(left < size ? left : size));
  };
  T node = tile_at(0);
  if (turns <= 1) return node;
  const bool is_first_lane = threadIdx.x % Shape::lanes == 0;
  for (std::size_t i = 0;;) {
    if (is_first_lane && i < count) push_node(waiting, i, node);
    if (++i >= turns) break;
    node = tile_at(i);
  }
  return is_first_lane && count != 0 ? root_of_nodes(waiting, count) : T{0};
}

/// The sum of a line, in its team's first lane. By all lanes of a warp, whose lines may differ in length. If the
/// team holds only a part of a stripe, no line is longer than that. `waiting`: as in sum_of_tiles.
template <class Term, input_layout layout, class Shape, class T, input_layout loads>
__device__ __forceinline__ T sum_by_team(const operands<T, loads>& line, T* waiting) {
  const bool aligned = __all_sync(all_lanes, has_aligned_packs_of_line<Term>(line)) != 0;
  return with_reader<Term, layout>(line, aligned, [&](const auto& reader) {
    if constexpr (Shape::lanes * Shape::packs < 32) {
      return tile_of_team<Term, Shape, T>(reader, 0, static_cast<int>(line.n));
    } else {
      const std::size_t tiles = tiles_of<T>(line.n);
      const std::size_t turns =
          Shape::lanes == 32 ? tiles : __reduce_max_sync(all_lanes, static_cast<unsigned>(tiles));
      return sum_of_tiles<Term, Shape, T>(reader, line.n, 0, tiles, turns, waiting);
    }
  });
}

/// Lines of few elements, `Shape::lanes` lanes of a warp for each.
template <class T, class Term, input_layout layout, int threads, class Shape, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    short_fast_line_kernel(const __grid_constant__ Lines in, const __grid_constant__ line_results out) {
  constexpr unsigned lanes = Shape::lanes, lines_of_warp = 32 / lanes, warps = threads / 32;
  constexpr bool has_tiles = Shape::lanes * Shape::packs == 32;
  __shared__ T waiting[has_tiles ? threads / lanes : 1][max_tree_levels];
  begin_kernel(elements_of(in));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t step = std::size_t{gridDim.x} * warps * lines_of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * lines_of_warp; first < in.count;
       first += step) {
    const std::size_t index = first + lane / lanes;
    const bool is_line = index < in.count;
    const auto line = in.line(is_line ? index : first);
    const T sum = sum_by_team<Term, layout, Shape>(line, waiting[has_tiles ? threadIdx.x / lanes : 0]);
    store_fast_line(out, index, line.n, sum, is_line && lane % lanes == 0);
  }
  end_of_input(elements_of(in));
}

/// Shared memory of a block that adds lines.
template <class T, int threads>
struct block_tiles {
  static constexpr unsigned warps = threads / 32;
  T waiting[warps][max_tree_levels];
  T waiting_nodes[max_tree_levels];
  T warp_sum[2][warps];  ///< in turns, so that one barrier a node suffices
};

/// The sum of a line, in thread 0. By all threads of a block: a warp adds subtrees of 2^log2_tiles tiles, the warps
/// together a node of the tree. `turn`: changes from node to node, from line to line, too.
template <class Term, input_layout layout, int threads, int stripes, class T, input_layout loads>
__device__ __forceinline__ T sum_by_block(const operands<T, loads>& line, int log2_tiles,
                                          block_tiles<T, threads>& storage, unsigned& turn) {
  using shape = tile_shape<32, 1, stripes>;
  constexpr unsigned warps = threads / 32;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  T* const waiting = storage.waiting[warp];
  const std::size_t tiles = tiles_of<T>(line.n), subtree = std::size_t{1} << log2_tiles;
  const bool aligned = has_aligned_packs_of_line<Term>(line);
  std::uint64_t nodes = 0;
  for (std::size_t start = 0; start < tiles || nodes == 0; start += warps * subtree, ++nodes, turn ^= 1) {
    const std::size_t first = start + warp * subtree;
    T sum{0};
    if (first < tiles) {
      const std::size_t count = tiles - first < subtree ? tiles - first : subtree;
      sum = with_reader<Term, layout>(line, aligned, [&](const auto& reader) {
        return sum_of_tiles<Term, shape, T>(reader, line.n, first, count, count, waiting);
      });
    }
    if (lane == 0) storage.warp_sum[turn][warp] = sum;
    __syncthreads();
    if (warp != 0) continue;
    const std::size_t subtrees = (tiles - start + subtree - 1) >> log2_tiles;
    sum = add_neighbours<warps>(lane < warps ? storage.warp_sum[turn][lane] : T{0}, lane,
                                subtrees < warps ? static_cast<unsigned>(subtrees) : warps);
    if (lane == 0) push_node(storage.waiting_nodes, nodes, sum);
  }
  return threadIdx.x == 0 ? root_of_nodes(storage.waiting_nodes, nodes) : T{0};
}

/// Lines of many elements, a block for each.
template <class T, class Term, input_layout layout, int threads, int stripes, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    long_fast_line_kernel(const __grid_constant__ Lines in, int log2_tiles,
                          const __grid_constant__ line_results out) {
  __shared__ block_tiles<T, threads> storage;
  begin_kernel(elements_of(in));
  unsigned turn = 0;
  for (std::size_t index = blockIdx.x; index < in.count; index += gridDim.x) {
    const auto line = in.line(index);
    const T sum = sum_by_block<Term, layout, threads, stripes>(line, log2_tiles, storage, turn);
    if (threadIdx.x < 32) store_fast_line(out, index, line.n, sum, threadIdx.x == 0);
  }
  end_of_input(elements_of(in));
}

template <class Term, class T, input_layout loads>
__device__ __forceinline__ element_reader<Term, T, loads> reader_of_elements(const operands<T, loads>& line) {
  return {line};
}

/// The tile's lanes thread, thread + lanes, … of one column: `sums` of them, each of a thread. Elements first … of
/// the tile's n.
template <class Term, int lanes, int sums, class T, class Reader>
__device__ __forceinline__ T part_of_tile(const Reader& line, std::size_t first, int n, int thread) {
  T sum[sums] = {};
  for (int start = 0; start < n; start += lanes * sums) {
    T x[sums], y[sums];
    const bool is_whole = start + lanes * sums <= n;
#pragma unroll
    for (int j = 0; j < sums; ++j) {
      const int i = start + j * lanes + thread;
      x[j] = y[j] = T{0};
      if (is_whole || i < n) line.load_element(first + i, x[j], y[j]);
    }
#pragma unroll
    for (int j = 0; j < sums; ++j) {
      const T next = add_term<Term>(x[j], y[j], sum[j]);
      if (is_whole || start + j * lanes + thread < n) sum[j] = next;
    }
  }
  if constexpr (lanes * sums < static_cast<int>(order_v1<T>::lanes)) {  // as tile_of_team
#pragma unroll
    for (T& each : sum) each = each + T{0};
  }
  fold_within_lanes(sum);
  return sum[0];
}

/// Shared memory of a block that adds neighbouring columns, each by `lanes` threads.
template <class T, int lanes, int columns>
struct column_tiles {
  T parts[2][lanes][columns];  ///< in turns, so that one barrier a tile suffices
  T waiting[columns][max_tree_levels];
};

/// The subtree of tiles `first` to before `last` of each column, of n elements, in its first thread. By all threads
/// of a block; a barrier for each tile. `turn`: changes from tile to tile.
template <class Term, int sums, class T, int lanes, int columns, class Reader>
__device__ __forceinline__ T sum_of_column_tiles(const Reader& line, std::size_t n, std::size_t first,
                                                 std::size_t last, column_tiles<T, lanes, columns>& storage,
                                                 unsigned& turn) {
  constexpr std::size_t size = order_v1<T>::tile;
  const int thread = static_cast<int>(threadIdx.x) / columns;
  const unsigned column = threadIdx.x % columns;
  for (std::size_t tile = first; tile < last; ++tile, turn ^= 1) {
    const std::size_t start = tile * size, left = n - start;
    storage.parts[turn][thread][column] =
        part_of_tile<Term, lanes, sums, T>(line, start, static_cast<int>(left < size ? left : size), thread);
    __syncthreads();
    if (threadIdx.x < columns) {
      T part[lanes];
#pragma unroll
      for (int k = 0; k < lanes; ++k) part[k] = storage.parts[turn][k][column];
      fold_within_lanes(part);
      push_node(storage.waiting[column], tile - first, part[0]);
    }
  }
  if (threadIdx.x >= columns || first == last) return T{0};
  return root_of_nodes(storage.waiting[column], last - first);
}

/// Lines that lie side by side, `columns` of them for each block at a time: neighbouring threads read neighbouring
/// columns. `sums`: lanes of a tile that a thread adds; if a column's threads have not all of them, no column is
/// longer than those that they have.
template <class T, class Term, input_layout layout, int threads, int columns, int sums, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    fast_column_kernel(const __grid_constant__ Lines in, const __grid_constant__ line_results out) {
  constexpr int lanes = threads / columns, of_tile = static_cast<int>(order_v1<T>::lanes);
  constexpr bool has_tiles = lanes * sums == of_tile;
  static_assert(threads % columns == 0 && lanes * sums <= of_tile && (has_tiles || lanes == 1));
  __shared__ column_tiles<T, has_tiles ? lanes : 1, has_tiles ? columns : 1> storage;
  begin_kernel(elements_of(in));
  const int thread = static_cast<int>(threadIdx.x) / columns;
  const unsigned column = threadIdx.x % columns;
  unsigned turn = 0;
  for (std::size_t start = std::size_t{blockIdx.x} * columns; start < in.count;
       start += std::size_t{gridDim.x} * columns) {
    const bool is_line = start + column < in.count;
    const auto line = in.line(is_line ? start + column : start);
    const auto reader = reader_of_elements<Term>(line);
    T sum{0};
    if constexpr (!has_tiles) {
      sum = part_of_tile<Term, lanes, sums, T>(reader, 0, static_cast<int>(line.n), thread);
    } else {
      sum = sum_of_column_tiles<Term, sums>(reader, line.n, 0, tiles_of<T>(line.n), storage, turn);
    }
    store_fast_line(out, start + column, line.n, sum, threadIdx.x < columns && is_line);
  }
  end_of_input(elements_of(in));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
