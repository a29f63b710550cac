// Mode fast on a GPU: order v1 (core/order_v1.hpp), a warp a tile.
//
// A row is one 16-byte load of each lane, so a lane of a warp holds the neighbouring lanes of the tile; the fold by
// halves is shuffles first, then within the lane. A block's warps take neighbouring tiles, or neighbouring subtrees
// of 2^k tiles, and the block adds them as the tree does: a node. Nodes are mailed (mailbox.cuh) to the block that
// started last, which adds them.
#pragma once

#include <core/order_v1.hpp>
#include <core/rounding.hpp>
#include <cuda/load.cuh>
#include <cuda/mailbox.cuh>

namespace exactdot::cuda_engine {
namespace {

constexpr unsigned most_nodes = 8192;  // a launch has
static_assert(most_nodes * sizeof(double) / 4 <= mailbox::words);

/// How n elements are divided: a warp adds a subtree of 2^log2_tiles tiles, the warps of a block a node.
struct division {
  std::size_t tiles, subtrees, nodes;
};

template <class T>
EXACTDOT_CORE division divide(std::size_t n, int log2_tiles, unsigned warps) {
  constexpr std::size_t tile = core::order_v1<T>::tile;
  const std::size_t tiles = (n + tile - 1) / tile;
  const std::size_t subtrees = (tiles + (std::size_t{1} << log2_tiles) - 1) >> log2_tiles;
  return {tiles, subtrees, (subtrees + warps - 1) / warps};
}

/// The smallest subtrees that leave no more nodes than there may be.
template <class T>
int least_log2_tiles(std::size_t n, unsigned warps) {
  int log2_tiles = 0;
  while (divide<T>(n, log2_tiles, warps).nodes > most_nodes) ++log2_tiles;
  return log2_tiles;
}

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

/// Nodes of one level of the tree, one a lane or a thread: x = the sum of `size` neighbours in the tree's order, in
/// every thread whose index is a multiple of `size`. `count`: nodes there are; one without a right neighbour stays.
template <int size, class T>
__device__ __forceinline__ T add_neighbours(T x, unsigned index, unsigned count) {
#pragma unroll
  for (unsigned step = 1; step < size; step *= 2) {
    const T right = __shfl_down_sync(0xffffffffU, x, step);
    if (index + step < count) x = x + right;
  }
  return x;
}

/// The lanes of a tile, folded by halves; in lane 0.
template <class T, int count>
__device__ __forceinline__ T fold(T (&sum)[count]) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
#pragma unroll
    for (int j = 0; j < count; ++j) sum[j] = sum[j] + __shfl_down_sync(0xffffffffU, sum[j], step);
  }
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2) {
#pragma unroll
    for (int j = 0; j < half; ++j) sum[j] = sum[j] + sum[j + half];
  }
  return sum[0];
}

/// 16 bytes of a row in each lane.
template <bool aligned, class T>
__device__ __forceinline__ pack<T> load_pack(const T* from) {
  if constexpr (aligned) {
    return *reinterpret_cast<const pack<T>*>(from);
  } else {
    pack<T> x;
#pragma unroll
    for (int j = 0; j < pack<T>::count; ++j) x.element[j] = from[j];
    return x;
  }
}

/// A whole tile, its rows aligned to 16 bytes or not; in lane 0.
template <bool aligned, int rows_at_once, class T>
__device__ __forceinline__ T whole_tile(const T* a, const T* b) {
  using row = core::order_v1<T>;
  T sum[pack<T>::count] = {};
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int start = 0; start < static_cast<int>(row::rows); start += rows_at_once) {
    pack<T> x[rows_at_once], y[rows_at_once];
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
      const std::size_t i = (start + k) * row::lanes + lane * pack<T>::count;
      x[k] = load_pack<aligned>(a + i), y[k] = load_pack<aligned>(b + i);
    }
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
#pragma unroll
      for (int j = 0; j < pack<T>::count; ++j) sum[j] = multiply_add(x[k].element[j], y[k].element[j], sum[j]);
    }
  }
  return fold(sum);
}

/// The first n elements of a tile: those that are missing are skipped, not added as zero.
template <bool aligned, int rows_at_once, class T>
__device__ __forceinline__ T part_of_tile(const T* a, const T* b, int n) {
  using row = core::order_v1<T>;
  constexpr int lanes = row::lanes, count = pack<T>::count;
  T sum[count] = {};
  const int first = static_cast<int>(threadIdx.x % 32) * count;  // of this lane's elements in a row
  const int whole = n / lanes;
  pack<T> last_x{}, last_y{};  // of the row that is not whole
  const int last = whole * lanes + first;
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (last + j < n) last_x.element[j] = a[last + j], last_y.element[j] = b[last + j];
  }
#pragma unroll
  for (int start = 0; start < static_cast<int>(row::rows); start += rows_at_once) {
    if (start >= whole) break;
    pack<T> x[rows_at_once], y[rows_at_once];
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
      const int i = (start + k) * lanes + first;
      if (start + k < whole) x[k] = load_pack<aligned>(a + i), y[k] = load_pack<aligned>(b + i);
    }
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (start + k < whole) sum[j] = multiply_add(x[k].element[j], y[k].element[j], sum[j]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (last + j < n) sum[j] = multiply_add(last_x.element[j], last_y.element[j], sum[j]);
  }
  return fold(sum);
}

template <int rows_at_once, class T>
__device__ __forceinline__ T tile(const T* a, const T* b, std::size_t n, std::size_t index, bool aligned) {
  constexpr std::size_t size = core::order_v1<T>::tile;
  a += index * size, b += index * size, n -= index * size;
  if (n < size) {
    const int there = static_cast<int>(n);
    return aligned ? part_of_tile<true, rows_at_once>(a, b, there) : part_of_tile<false, rows_at_once>(a, b, there);
  }
  return aligned ? whole_tile<true, rows_at_once>(a, b) : whole_tile<false, rows_at_once>(a, b);
}

/// The subtree of tiles first, first + 1, … that a warp adds up one after the other: a sum for each level that
/// waits for its right neighbour, in shared memory.
template <int rows_at_once, class T>
__device__ T subtree(const T* a, const T* b, std::size_t n, std::size_t first, std::size_t end, bool aligned,
                     T* waiting) {
  T node = tile<rows_at_once>(a, b, n, first, aligned);
  if (end - first == 1) return node;
  const bool lane_0 = threadIdx.x % 32 == 0;
  for (std::size_t done = 0;; node = tile<rows_at_once>(a, b, n, first + done, aligned)) {
    int level = 0;
    for (std::size_t index = done; (index & 1) != 0; index >>= 1) node = waiting[level++] + node;
    __syncwarp();
    if (lane_0) waiting[level] = node;
    __syncwarp();
    if (++done == end - first) break;
  }
  const std::uint64_t count = end - first;
  int level = core::trailing_zeros(count);
  node = waiting[level];
  while ((count >> ++level) != 0) {
    if ((count >> level & 1) != 0) node = waiting[level] + node;
  }
  __syncwarp();
  return node;
}

/// A node travels as one word a 4 bytes.
template <class T>
constexpr unsigned words_of_node = sizeof(T) / 4;

template <class T>
__device__ __forceinline__ void mail_node(mailbox& box, unsigned node, unsigned launch, T sum) {
  const auto bits = core::bit_cast<typename core::traits<T>::bits>(sum);
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) {
    post(&box.word[node * words_of_node<T> + k], launch, static_cast<unsigned>(std::uint64_t{bits} >> 32 * k));
  }
}

template <class T>
__device__ __forceinline__ T wait_for_node(const mailbox& box, unsigned node, unsigned launch) {
  wide_unsigned seen[words_of_node<T>];
  std::uint64_t bits = 0;
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) seen[k] = peek(&box.word[node * words_of_node<T> + k]);
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) {
    while (!arrived(seen[k], launch)) seen[k] = peek(&box.word[node * words_of_node<T> + k]);
    bits |= std::uint64_t{static_cast<unsigned>(seen[k])} << 32 * k;
  }
  return core::bit_cast<T>(static_cast<typename core::traits<T>::bits>(bits));
}

/// A node that its own block need not mail.
template <class T>
struct own_node {
  unsigned index;
  T sum;
};

/// The sum of all nodes by the tree, in thread 0. `room`: a node for every 32, in shared memory.
template <class T>
__device__ T add_nodes(const mailbox& box, unsigned count, unsigned launch, const own_node<T>& own, T* room) {
  const unsigned lane = threadIdx.x % 32, chunks = (count + 31) / 32;
  for (unsigned chunk = threadIdx.x / 32; chunk < chunks; chunk += blockDim.x / 32) {
    const unsigned i = 32 * chunk + lane;
    T node = own.sum;
    if (i < count && i != own.index) node = wait_for_node<T>(box, i, launch);
    __syncwarp();
    node = add_neighbours<32>(node, i, count);
    if (lane == 0) room[chunk] = node;
  }
  __syncthreads();
  constexpr unsigned run = most_nodes / 32 / 32;  // of chunks, for a lane
  if (threadIdx.x >= 32) return T{0};
  T x[run];
#pragma unroll
  for (unsigned k = 0; k < run; ++k) x[k] = lane * run + k < chunks ? room[lane * run + k] : T{0};
#pragma unroll
  for (unsigned step = 1; step < run; step *= 2) {
#pragma unroll
    for (unsigned k = 0; k < run; k += 2 * step) {
      if (lane * run + k + step < chunks) x[k] = x[k] + x[k + step];
    }
  }
  return add_neighbours<32>(x[0], lane, (chunks + run - 1) / run);
}

template <class R, class T>
__device__ __forceinline__ R converted(T sum) {
  return sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

/// `log2_tiles`: log2 of the tiles in a warp's subtree; such that there are at most `most_nodes`, and no block of
/// the grid goes without.
template <class T, class R, int threads, int rows_at_once>
__global__ void __launch_bounds__(threads)
    fast_kernel(const T* a, const T* b, std::size_t n, int log2_tiles, mailbox* box, rounded_result<R> result) {
  constexpr unsigned warps = threads / 32;
  constexpr int most_levels = 40;
  __shared__ T of_warp[warps];
  __shared__ T waiting[warps][most_levels];
  __shared__ T room[most_nodes / 32];
  __shared__ turn now;
  __shared__ own_node<T> latest;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % 16 == 0;
  const division all = divide<T>(n, log2_tiles, warps);
  const std::size_t tiles = all.tiles, subtrees = all.subtrees;
  const auto nodes = static_cast<unsigned>(all.nodes);
  const unsigned warp = threadIdx.x / 32;
  wide_unsigned ticket = 0;
  if (nodes > 1 && threadIdx.x == 0) ticket = take_ticket(box->tickets);
  T sum{0};
  for (unsigned node = blockIdx.x; node < nodes; node += gridDim.x) {
    const std::size_t own = std::size_t{node} * warps + warp;
    if (own < subtrees) {
      const std::size_t first = own << log2_tiles;
      const std::size_t end = min(first + (std::size_t{1} << log2_tiles), tiles);
      sum = subtree<rows_at_once>(a, b, n, first, end, aligned, waiting[warp]);
    }
    if (warps > 1) {
      if (threadIdx.x % 32 == 0) of_warp[warp] = sum;
      __syncthreads();
      if (warp == 0) {
        sum = threadIdx.x < warps ? of_warp[threadIdx.x] : T{0};
        const std::size_t left = subtrees - std::size_t{node} * warps;
        sum = add_neighbours<warps>(sum, threadIdx.x, left < warps ? static_cast<unsigned>(left) : warps);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && nodes > 1) {
      const turn mine = turn_of(ticket);
      const bool keeps = mine.reads && node + gridDim.x >= nodes;
      if (keeps) latest = {node, sum};
      if (!keeps) mail_node(*box, node, mine.launch, sum);
      now = mine;
    }
  }
  if (nodes > 1) {
    __syncthreads();
    if (!now.reads) return;
    sum = add_nodes(*box, nodes, now.launch, latest, room);
    if (threadIdx.x == 0) end_turn(*box, now);
    forget_old_mail(*box, now);
  }
  if (threadIdx.x == 0) put(result, converted<R>(sum));
}

}  // namespace
}  // namespace exactdot::cuda_engine
