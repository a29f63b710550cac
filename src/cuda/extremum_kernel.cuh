// The least or greatest element and its lowest index, of a vector of any layout and element type: one launch.
//
//   thread      the least key (core/extremum.hpp) of its elements, first index first
//   warp        shuffles
//   block       shared memory; one candidate in device memory
//   last block  the candidates of all blocks (fence and counter: M. Harris' reduction with threadFenceReduction)
#pragma once

#include <core/extremum.hpp>
#include <cuda/element_switch.cuh>
#include <cuda/exchange.cuh>
#include <cuda/extremum_state.hpp>
#include <cuda/load.cuh>

namespace exactdot::cuda_engine {
namespace {

inline constexpr int extremum_threads = 256;

__device__ __forceinline__ bool is_better(const extremum_candidate& x, const extremum_candidate& than) {
  return x.key < than.key || (x.key == than.key && x.index < than.index);
}

__device__ __forceinline__ extremum_candidate better_in_warp(extremum_candidate best) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const extremum_candidate other{__shfl_down_sync(0xffffffffU, best.key, step),
                                   __shfl_down_sync(0xffffffffU, best.index, step)};
    if (is_better(other, best)) best = other;
  }
  return best;
}

/// By all threads of a block; the result is valid in thread 0.
__device__ extremum_candidate better_in_block(extremum_candidate best) {
  __shared__ extremum_candidate of_warp[extremum_threads / 32];
  best = better_in_warp(best);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x < 32) {
    best = threadIdx.x < extremum_threads / 32 ? of_warp[threadIdx.x] : no_candidate();
    best = better_in_warp(best);
  }
  return best;
}

/// The key of an element of any type.
template <bool greatest>
__device__ std::uint64_t key_of(element_type type, std::uint64_t bits) {
  return with_element_type(type, [&]<class T>(T) -> std::uint64_t {
    return core::ordered_key<T, greatest>(
        static_cast<typename exactdot::detail::unsigned_of<sizeof(T)>::type>(bits));
  });
}

template <bool greatest>
__global__ void __launch_bounds__(extremum_threads)
    extremum_kernel(const __grid_constant__ any_operand x, std::size_t n, extremum_state* state, bool gives_index,
                    const __grid_constant__ destination to) {
  extremum_candidate best = no_candidate();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const extremum_candidate candidate{key_of<greatest>(x.type, bits_at(x, i)), i};
    if (is_better(candidate, best)) best = candidate;
  }
  best = better_in_block(best);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    state->candidate[blockIdx.x] = best;
    __threadfence();
    is_last = atomicAdd(&state->finished, 1U) == gridDim.x - 1;
    __threadfence();  // before any thread of the last block reads the candidates
  }
  __syncthreads();
  if (!is_last) return;
  best = no_candidate();
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    const volatile extremum_candidate& of_block = state->candidate[i];
    const extremum_candidate candidate{of_block.key, of_block.index};
    if (is_better(candidate, best)) best = candidate;
  }
  __syncthreads();
  best = better_in_block(best);
  if (threadIdx.x != 0) return;
  state->finished = 0;
  state->best = best;
  if (to.value == nullptr && to.host == nullptr) return;
  const auto element_of_best = [&]<class T>(T) { return core::element_of_key<T, greatest>(best.key); };
  store_anywhere(to, gives_index ? best.index : with_element_type(x.type, element_of_best));
}

}  // namespace
}  // namespace exactdot::cuda_engine
