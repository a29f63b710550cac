// Brings the elements of a group together and keeps their order: a counting sort, each warp with a chunk of its
// own.
//
//   count_keys    counts[group][warp] = elements of the group in the warp's chunk    integer atomics: order-free
//   scan          an exclusive sum over all counts: where these elements go
//   place         moves them there; 32 at a time, lanes with the same key find each other by a ballot per bit
//
// The ballots replace __match_any_sync. Source: the stable ranking of radix sorts (D. Merrill, A. Grimshaw, "High
// performance and scalable radix sorting", Parallel Processing Letters 21, 2011).
#pragma once

#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

/// Elements of a warp's chunk.
template <class T>
__device__ std::size_t chunk_of(const keyed<T>& in, unsigned warps) {
  return (in.n + warps - 1) / warps;
}

template <class T>
__global__ void count_keys(keyed<T> in, unsigned warps, unsigned* counts) {
  const std::size_t warp = thread_in_grid() / 32, chunk = chunk_of(in, warps);
  const std::size_t end = (warp + 1) * chunk < in.n ? (warp + 1) * chunk : in.n;
  for (std::size_t i = warp * chunk + threadIdx.x % 32; i < end; i += 32)
    atomicAdd(&counts[std::size_t{in.keys[i]} * warps + warp], 1U);
}

/// By one block of up to 1024 threads.
__global__ void scan(unsigned* counts, std::size_t count) {
  __shared__ unsigned total[1024];
  const std::size_t share = (count + blockDim.x - 1) / blockDim.x, first = threadIdx.x * share;
  const std::size_t end = first + share < count ? first + share : count;
  unsigned before = 0;
  for (std::size_t i = first; i < end; ++i) before += counts[i];
  total[threadIdx.x] = before;
  __syncthreads();
  before = 0;
  for (unsigned other = 0; other < threadIdx.x; ++other) before += total[other];
  for (std::size_t i = first; i < end; ++i) {
    const unsigned own = counts[i];
    counts[i] = before, before += own;
  }
}

/// Afterwards counts[group][last warp] is the end of the group.
template <class T>
__global__ void place(keyed<T> in, unsigned warps, unsigned* counts, T* sorted) {
  constexpr unsigned all_lanes = 0xffffffffu;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warp = thread_in_grid() / 32, chunk = chunk_of(in, warps);
  const std::size_t end = (warp + 1) * chunk < in.n ? (warp + 1) * chunk : in.n;
  for (std::size_t first = warp * chunk; first < end; first += 32) {
    const bool is_element = first + lane < end;
    const unsigned key = is_element ? in.keys[first + lane] : 0;
    unsigned same = __ballot_sync(all_lanes, is_element);
    for (unsigned bit = 1; bit < in.groups; bit *= 2) {
      const unsigned set = __ballot_sync(all_lanes, (key & bit) != 0);
      same &= (key & bit) != 0 ? set : ~set;
    }
    unsigned* const next = &counts[std::size_t{key} * warps + warp];
    const unsigned before = __popc(same & ((1U << lane) - 1));
    const unsigned start = is_element ? *next : 0;
    __syncwarp();
    if (is_element) sorted[start + before] = in.a[first + lane];
    if (is_element && before == 0) *next = start + __popc(same);
    __syncwarp();
  }
}

}  // namespace
}  // namespace exactdot::lab
