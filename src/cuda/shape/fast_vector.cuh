// Mode fast: order v1 (exactdot/order_v1.hpp), one tile per warp.
//
// A stripe is one load of a pack per lane, 16 bytes or, of 16-bit elements, 8, so a lane of a warp holds
// neighbouring lanes of the tile; the fold by halves is shuffles first, then within the lane. If the inputs are not
// aligned for that, a lane holds every 32nd lane of the tile, so that a warp's loads of single elements read
// neighbours; the same fold begins within the lane. A block's warps take neighbouring tiles, or neighbouring
// subtrees of 2^k tiles, and the block adds them as the tree does: a node. Blocks publish nodes
// (core/exchange.cuh); the last block adds them.
#pragma once

#include <cuda/core/converted_load.cuh>
#include <cuda/core/exchange.cuh>
#include <cuda/core/kernel.cuh>
#include <cuda/core/load.cuh>
#include <cuda/shape/tile_counts.hpp>
#include <exactdot/core/rounding.hpp>
#include <exactdot/core/term.hpp>
#include <exactdot/order_v1.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

/// sum + the term of x and y, rounded once.
template <class Term, class T>
__device__ __forceinline__ T add_term(T x, T y, T sum) {
  if constexpr (Term::factors == 1) return sum + (Term::absolute ? magnitude(x) : x);
  if constexpr (Term::absolute) return multiply_add(magnitude(x), magnitude(y), sum);
  return multiply_add(x, y, sum);
}

/// Nodes of one level of the tree, one per lane or thread: x = the sum of `size` neighbours in the tree's order, in
/// every thread whose index is a multiple of `size`. `count`: of all nodes; one without a right neighbour stays.
template <int size, class T>
__device__ __forceinline__ T add_neighbours(T x, unsigned index, unsigned count) {
#pragma unroll
  for (unsigned step = 1; step < size; step *= 2) {
    const T right = __shfl_down_sync(0xffffffffU, x, step);
    if (index + step < count) x = x + right;
  }
  return x;
}

/// Which element of a stripe, or lane of a tile, a lane of the warp holds as its j-th.
template <bool aligned, class T>
__device__ __forceinline__ int position(int j) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  return aligned ? lane * pack<T>::count + j : 32 * j + lane;
}

/// By recursion: the compiler does not unroll a loop over halves of many, and would keep the sums in local memory.
template <int half, class T, int count>
__device__ __forceinline__ void fold_from(T (&sum)[count]) {
  if constexpr (half > 0) {
#pragma unroll
    for (int j = 0; j < half; ++j) sum[j] = sum[j] + sum[j + half];
    fold_from<half / 2>(sum);
  }
}
template <class T, int count>
__device__ __forceinline__ void fold_within_lanes(T (&sum)[count]) {
  fold_from<count / 2>(sum);
}

/// The lanes of a tile, folded by halves; in lane 0.
template <bool aligned, class T, int count>
__device__ __forceinline__ T fold(T (&sum)[count]) {
  if constexpr (!aligned) fold_within_lanes(sum);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
#pragma unroll
    for (int j = 0; j < (aligned ? count : 1); ++j) sum[j] = sum[j] + __shfl_down_sync(0xffffffffU, sum[j], step);
  }
  if constexpr (aligned) fold_within_lanes(sum);
  return sum[0];
}

__device__ __forceinline__ float carrier_of(float x) { return x; }
__device__ __forceinline__ double carrier_of(double x) { return x; }
__device__ __forceinline__ float carrier_of(float16 x) { return float_of(x); }
__device__ __forceinline__ float carrier_of(bfloat16 x) { return float_of(x); }

/// The elements of a pack of carriers, before they are converted.
template <class T, class Element>
struct alignas(pack<T>::count * sizeof(Element)) element_pack {
  Element element[pack<T>::count];
};

/// What a lane holds of a stripe.
template <bool aligned, class T, class Element>
__device__ __forceinline__ pack<T> load_pack(const Element* stripe) {
  pack<T> x;
  if constexpr (!aligned) {
#pragma unroll
    for (int j = 0; j < x.count; ++j) x.element[j] = carrier_of(stripe[position<aligned, T>(j)]);
  } else {
    const auto loaded = *reinterpret_cast<const element_pack<T, Element>*>(stripe + position<aligned, T>(0));
#pragma unroll
    for (int j = 0; j < x.count; ++j) x.element[j] = carrier_of(loaded.element[j]);
  }
  return x;
}

/// A whole contiguous tile, its stripes aligned to 16 bytes or not; in lane 0.
template <class Term, bool aligned, int stripes_in_flight, class T, class Element>
__device__ __forceinline__ T whole_tile(const Element* a, const Element* b) {
  using order = order_v1<T>;
  T sum[pack<T>::count] = {};
#pragma unroll
  for (int start = 0; start < static_cast<int>(order::stripes); start += stripes_in_flight) {
    pack<T> x[stripes_in_flight], y[stripes_in_flight];
#pragma unroll
    for (int k = 0; k < stripes_in_flight; ++k) {
      const std::size_t i = (start + k) * order::lanes;
      x[k] = load_pack<aligned, T>(a + i);
      y[k] = Term::inputs == 2 ? load_pack<aligned, T>(b + i) : x[k];
    }
#pragma unroll
    for (int k = 0; k < stripes_in_flight; ++k) {
#pragma unroll
      for (int j = 0; j < pack<T>::count; ++j) sum[j] = add_term<Term>(x[k].element[j], y[k].element[j], sum[j]);
    }
  }
  return fold<aligned>(sum);
}

/// The first n elements of a contiguous tile: missing ones are skipped, not added as zero.
template <class Term, bool aligned, int stripes_in_flight, class T, class Element>
__device__ __forceinline__ T partial_tile(const Element* a, const Element* b, int n) {
  using order = order_v1<T>;
  constexpr int lanes = order::lanes, count = pack<T>::count;
  T sum[count] = {};
  const int whole = n / lanes;
  pack<T> last_x{}, last_y{};  // of the stripe that is not whole
#pragma unroll
  for (int j = 0; j < count; ++j) {
    const int last = whole * lanes + position<aligned, T>(j);
    if (last < n) last_x.element[j] = carrier_of(a[last]), last_y.element[j] = carrier_of(b[last]);
  }
#pragma unroll
  for (int start = 0; start < static_cast<int>(order::stripes); start += stripes_in_flight) {
    if (start >= whole) break;
    pack<T> x[stripes_in_flight], y[stripes_in_flight];
#pragma unroll
    for (int k = 0; k < stripes_in_flight; ++k) {
      const int i = (start + k) * lanes;
      if (start + k < whole) x[k] = load_pack<aligned, T>(a + i), y[k] = load_pack<aligned, T>(b + i);
    }
#pragma unroll
    for (int k = 0; k < stripes_in_flight; ++k) {
#pragma unroll
      for (int j = 0; j < count; ++j) {
        if (start + k < whole) sum[j] = add_term<Term>(x[k].element[j], y[k].element[j], sum[j]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    const bool exists = whole * lanes + position<aligned, T>(j) < n;
    if (exists) sum[j] = add_term<Term>(last_x.element[j], last_y.element[j], sum[j]);
  }
  return fold<aligned>(sum);
}

/// Elements first … first + n - 1 of inputs of any layout, n at most a tile; in lane 0.
template <class Term, class T>
__device__ T any_tile(const operands<T, input_layout::any>& in, std::size_t first, int n) {
  constexpr int lanes = order_v1<T>::lanes, count = pack<T>::count;
  T sum[count] = {};
  for (int stripe = 0; stripe < n; stripe += lanes) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int i = stripe + position<false, T>(j);
      if (i >= n) continue;
      T x, y;
      load_addend<Term>(in, first + i, x, y);
      sum[j] = add_term<Term>(x, y, sum[j]);
    }
  }
  return fold<false>(sum);
}

/// The first n elements of a contiguous tile.
template <class Term, int stripes_in_flight, class T, class Element>
__device__ __forceinline__ T contiguous_tile(const Element* a, const Element* b, int n, bool aligned) {
  if (n < static_cast<int>(order_v1<T>::tile)) {
    return aligned ? partial_tile<Term, true, stripes_in_flight, T>(a, b, n)
                   : partial_tile<Term, false, stripes_in_flight, T>(a, b, n);
  }
  return aligned ? whole_tile<Term, true, stripes_in_flight, T>(a, b)
                 : whole_tile<Term, false, stripes_in_flight, T>(a, b);
}

template <class Term, int stripes_in_flight, class T, input_layout layout>
__device__ __forceinline__ T tile_sum(const operands<T, layout>& in, std::size_t index, bool aligned) {
  constexpr std::size_t size = order_v1<T>::tile;
  const std::size_t first = index * size, left = in.n - first;
  const int count = static_cast<int>(left < size ? left : size);
  if constexpr (layout == input_layout::any) {
    return any_tile<Term>(in, first, count);
  } else if constexpr (layout == input_layout::contiguous) {
    const T* const a = in.a + first;
    return contiguous_tile<Term, stripes_in_flight, T>(a, Term::inputs == 2 ? in.b + first : a, count, aligned);
  } else {
    const auto add = [&]<class Element>(Element) {
      const auto* const a = reinterpret_cast<const Element*>(in.a.data) + first;
      const auto* const b = Term::inputs == 2 ? reinterpret_cast<const Element*>(in.b.data) + first : a;
      return contiguous_tile<Term, stripes_in_flight, T>(a, b, count, aligned);
    };
    return in.a.type == element_type::float16 ? add(float16{}) : add(bfloat16{});
  }
}

/// The subtree of tiles first, first + 1, … that a warp adds one after the other. `waiting`, in shared memory: a
/// sum for each level that waits for its right neighbour.
template <class Term, int stripes_in_flight, class T, input_layout layout>
__device__ T subtree_sum(const operands<T, layout>& in, std::size_t first, std::size_t end, bool aligned,
                         T* waiting) {
  T node = tile_sum<Term, stripes_in_flight>(in, first, aligned);
  if (end - first == 1) return node;
  const bool lane_0 = threadIdx.x % 32 == 0;
  for (std::size_t done = 0;; node = tile_sum<Term, stripes_in_flight>(in, first + done, aligned)) {
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

/// A node takes one word per 4 bytes.
template <class T>
constexpr unsigned words_of_node = sizeof(T) / 4;

template <class T>
__device__ __forceinline__ void publish_node(exchange& exchange, unsigned node, unsigned flag, T sum) {
  const std::uint64_t bits = core::to_word(sum);
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) {
    store_word(&exchange.word[node * words_of_node<T> + k], flag, static_cast<unsigned>(bits >> 32 * k));
  }
}

template <class T>
__device__ __forceinline__ T poll_node(const exchange& exchange, unsigned node, unsigned flag) {
  wide_unsigned word[words_of_node<T>];
  std::uint64_t bits = 0;
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) word[k] = load_word(&exchange.word[node * words_of_node<T> + k]);
#pragma unroll
  for (unsigned k = 0; k < words_of_node<T>; ++k) {
    while (!has_flag(word[k], flag)) word[k] = load_word(&exchange.word[node * words_of_node<T> + k]);
    bits |= std::uint64_t{static_cast<unsigned>(word[k])} << 32 * k;
  }
  return core::from_word<T>(bits);
}

/// A node that the last block keeps instead of publishing it.
template <class T>
struct kept_node {
  unsigned index;
  T sum;
};

/// The sum of all nodes by the tree, in thread 0. `storage`: a node for every 32, in shared memory.
template <class T>
__device__ T add_nodes(const exchange& exchange, unsigned count, unsigned flag, const kept_node<T>& kept,
                       T* storage) {
  const unsigned lane = threadIdx.x % 32, chunks = (count + 31) / 32;
  for (unsigned chunk = threadIdx.x / 32; chunk < chunks; chunk += blockDim.x / 32) {
    const unsigned i = 32 * chunk + lane;
    T node = kept.sum;
    if (i < count && i != kept.index) node = poll_node<T>(exchange, i, flag);
    __syncwarp();
    node = add_neighbours<32>(node, i, count);
    if (lane == 0) storage[chunk] = node;
  }
  __syncthreads();
  constexpr unsigned chunks_per_lane = max_nodes / 32 / 32;
  if (threadIdx.x >= 32) return T{0};
  T x[chunks_per_lane];
#pragma unroll
  for (unsigned k = 0; k < chunks_per_lane; ++k) {
    x[k] = lane * chunks_per_lane + k < chunks ? storage[lane * chunks_per_lane + k] : T{0};
  }
#pragma unroll
  for (unsigned step = 1; step < chunks_per_lane; step *= 2) {
#pragma unroll
    for (unsigned k = 0; k < chunks_per_lane; k += 2 * step) {
      if (lane * chunks_per_lane + k + step < chunks) x[k] = x[k] + x[k + step];
    }
  }
  return add_neighbours<32>(x[0], lane, (chunks + chunks_per_lane - 1) / chunks_per_lane);
}

/// Stores a sum of another type than the result's, or for the host. By one thread. Not inlined; see store_anywhere.
template <class T>
[[gnu::noinline]] __device__ void store_converted(const destination& to, T sum) {
  store_anywhere(to, core::converted_word(to.rule, sum));
}

/// Whether a lane's elements of a stripe can be loaded at once.
template <class Term, class T, input_layout layout>
__device__ __forceinline__ bool has_aligned_packs(const operands<T, layout>& in) {
  if constexpr (layout == input_layout::any) {
    return false;
  } else {
    const void *a = nullptr, *b = nullptr;
    std::size_t bytes = 16;
    if constexpr (layout == input_layout::contiguous) {
      a = in.a, b = in.b;
    } else {
      a = in.a.data, b = in.b.data, bytes = 2 * pack<T>::count;
    }
    const auto address = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x); };
    return (Term::inputs == 2 ? address(a) | address(b) : address(a)) % bytes == 0;
  }
}

/// One launch: each block adds its nodes one after the other; the last block adds all nodes and stores the result.
template <class Element, class Term, input_layout layout, int threads, int stripes_in_flight>
__global__ void __launch_bounds__(threads)
    fast_kernel(const __grid_constant__ operands<Element, layout> in, const __grid_constant__ tile_counts counts,
                exchange* exchange, const __grid_constant__ destination to) {
  using T = Element;
  constexpr unsigned warps = threads / 32;
  constexpr int max_levels = 40;
  __shared__ T warp_sum[warps];
  __shared__ T waiting[warps][max_levels];
  __shared__ T node_storage[max_nodes / 32];
  __shared__ launch_ticket shared_ticket;
  __shared__ kept_node<T> kept;
  const bool aligned = has_aligned_packs<Term>(in);
  const unsigned nodes = counts.nodes, warp = threadIdx.x / 32;
  begin_kernel(in.n);
  wide_unsigned drawn = 0;
  if (nodes > 1 && threadIdx.x == 0) drawn = draw_ticket(exchange->tickets);
  T sum{0};
  for (unsigned node = blockIdx.x; node < nodes; node += gridDim.x) {
    const std::size_t subtree = std::size_t{node} * warps + warp;
    if (subtree < counts.subtrees) {
      const std::size_t first = subtree << counts.log2_tiles;
      const std::size_t end = ::min(first + (std::size_t{1} << counts.log2_tiles), counts.tiles);
      sum = subtree_sum<Term, stripes_in_flight>(in, first, end, aligned, waiting[warp]);
    }
    if (warps > 1) {
      if (threadIdx.x % 32 == 0) warp_sum[warp] = sum;
      __syncthreads();
      if (warp == 0) {
        sum = threadIdx.x < warps ? warp_sum[threadIdx.x] : T{0};
        const std::size_t left = counts.subtrees - std::size_t{node} * warps;
        sum = add_neighbours<warps>(sum, threadIdx.x, left < warps ? static_cast<unsigned>(left) : warps);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && nodes > 1) {
      const launch_ticket ticket = read_ticket(drawn);
      const bool keep = ticket.is_last && node + gridDim.x >= nodes;
      if (keep) kept = {node, sum};
      if (!keep) publish_node(*exchange, node, ticket.flag, sum);
      shared_ticket = ticket;
    }
  }
  end_of_input(in.n);
  if (nodes > 1) {
    __syncthreads();
    if (!shared_ticket.is_last) return;
    sum = add_nodes(*exchange, nodes, shared_ticket.flag, kept, node_storage);
    if (threadIdx.x == 0) reset_tickets(*exchange, shared_ticket);
    clear_words(*exchange, shared_ticket);
  }
  if (threadIdx.x != 0) return;
  if (sum != sum) sum = core::canonical_nan<T>();
  if (to.value != nullptr && to.rule.gives<T>()) {
    *static_cast<T*>(to.value) = sum;
    return;
  }
  store_converted(to, sum);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
