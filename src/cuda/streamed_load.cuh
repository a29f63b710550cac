// Reads contiguous inputs through shared memory: bulk copies into a ring of stages, while earlier stages are added.
//
// Every warp has a ring of its own and reads tiles of in_flight packs per lane. An mbarrier per stage tells when
// its tile has come. The first lane copies the next tile into a stage as soon as all lanes have the last one in
// registers, so a warp waits for no other warp. What fills no tile is loaded directly.
#pragma once

#include <cuda/kernel_variant.hpp>
#include <cuda/load.cuh>
#include <exactdot/simt/async.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The ring of a warp, in dynamic shared memory.
template <class T, int inputs, int in_flight, int stages>
struct alignas(16) tile_ring {
  static constexpr unsigned packs = 32 * in_flight;           ///< of a tile
  static constexpr unsigned bytes = packs * sizeof(pack<T>);  ///< of a tile
  pack<T> tile[stages][inputs][packs];
  gpu::mbarrier full[stages];

  /// Copies a tile of each input, a and b, into a stage. By one lane.
  __device__ __forceinline__ void fill(int stage, const pack<T>* a, const pack<T>* b) {
    gpu::mbarrier_arrive_expect_tx(&full[stage], inputs * bytes);
    gpu::cp_async_bulk(tile[stage][0], a, bytes, &full[stage]);
    if constexpr (inputs == 2) gpu::cp_async_bulk(tile[stage][1], b, bytes, &full[stage]);
  }
};

/// Dynamic shared memory of a block.
template <class T, int inputs, int in_flight, int stages>
constexpr std::size_t ring_bytes(int threads) {
  if constexpr (stages == 0) {
    return 0;
  } else {
    return static_cast<std::size_t>(threads / 32) * sizeof(tile_ring<T, inputs, in_flight, stages>);
  }
}

/// Calls add(x, y) with the packs of this warp's tiles; tiles go to the warps of the grid in turn. Returns how many
/// packs the grid's tiles have. By all threads.
template <class Term, int in_flight, int stages, class T, class Add>
__device__ __forceinline__ std::size_t for_each_tile(const operands<T, input_layout::contiguous>& in, Add add) {
  using packed = pack<T>;
  using ring_type = tile_ring<T, Term::inputs, in_flight, stages>;
  constexpr bool two = Term::inputs == 2;
  constexpr std::size_t packs = ring_type::packs;
  const auto* const a_packs = reinterpret_cast<const packed*>(in.a + in.head);
  const auto* const b_packs = reinterpret_cast<const packed*>((two ? in.b : in.a) + in.head);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  ring_type& ring = gpu::dynamic_shared<ring_type>()[warp];
  const std::size_t stride = std::size_t{gridDim.x} * warps;
  const std::size_t tiles = in.interleaved ? 0 : (in.end - in.head) / (packs * packed::count);
  std::size_t tile = std::size_t{blockIdx.x} * warps + warp;
  if (lane == 0) {
    for (int stage = 0; stage < stages; ++stage) gpu::mbarrier_init(&ring.full[stage], 1);
    gpu::fence_mbarrier_init();
    for (int stage = 0; stage < stages; ++stage) {
      const std::size_t at = tile + stage * stride;
      if (at < tiles) ring.fill(stage, a_packs + at * packs, b_packs + at * packs);
    }
  }
  __syncwarp();
  int stage = 0;
  unsigned parity = 0;
  for (; tile < tiles; tile += stride) {
    while (!gpu::mbarrier_try_wait_parity(&ring.full[stage], parity)) {
    }
    packed x[in_flight], y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      x[k] = ring.tile[stage][0][32 * k + lane];
      y[k] = two ? ring.tile[stage][Term::inputs - 1][32 * k + lane] : x[k];
    }
    __syncwarp();
    const std::size_t next = tile + stages * stride;
    if (lane == 0 && next < tiles) ring.fill(stage, a_packs + next * packs, b_packs + next * packs);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) add(x[k].element, y[k].element);
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  return tiles * packs;
}

/// for_each_contiguous of the block's own share, with bulk copies for what fills tiles.
template <class Term, int in_flight, int stages, class T, class Add>
__device__ __forceinline__ void for_each_streamed(const operands<T, input_layout::contiguous>& in, Add add) {
  const std::size_t streamed = for_each_tile<Term, in_flight, stages>(in, add);
  for_each_contiguous<Term, in_flight>(in, grid_share{}, add, streamed);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
