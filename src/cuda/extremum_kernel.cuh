// The least or greatest element and its lowest index, of a vector of any layout and element type: one launch.
//
//   thread      the least key (core/extremum.hpp) of its elements, first index first
//   warp        shuffles
//   block       shared memory; one candidate in device memory
//   last block  the candidates of all blocks (fence and counter: M. Harris' reduction with threadFenceReduction)
#pragma once

#include <core/extremum.hpp>
#include <cuda/exchange.cuh>
#include <cuda/extremum_state.hpp>
#include <cuda/load.cuh>

namespace exactdot::cuda_engine {
namespace {

inline constexpr int extremum_threads = 256;

__device__ __forceinline__ bool is_better(const extremum_candidate& x, const extremum_candidate& than) {
  return x.key < than.key || (x.key == than.key && x.index < than.index);
}

__device__ __forceinline__ extremum_candidate better_in_warp(extremum_candidate mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const extremum_candidate other{__shfl_down_sync(0xffffffffU, mine.key, step),
                                   __shfl_down_sync(0xffffffffU, mine.index, step)};
    if (is_better(other, mine)) mine = other;
  }
  return mine;
}

/// By all threads of a block; the result is valid in thread 0.
__device__ extremum_candidate better_in_block(extremum_candidate mine) {
  __shared__ extremum_candidate of_warp[extremum_threads / 32];
  mine = better_in_warp(mine);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < extremum_threads / 32 ? of_warp[threadIdx.x] : no_candidate();
    mine = better_in_warp(mine);
  }
  return mine;
}

/// The key of an element of any type. All threads of a launch take the same branch.
template <bool greatest>
__device__ std::uint64_t key_of(element_type type, std::uint64_t bits) {
  const auto key = [&]<class T>(T) -> std::uint64_t {
    return core::ordered_key<T, greatest>(
        static_cast<typename exactdot::detail::unsigned_of<sizeof(T)>::type>(bits));
  };
  switch (type) {
    case element_type::float32:
      return key(float{});
    case element_type::float64:
      return key(double{});
    case element_type::float16:
      return key(float16{});
    case element_type::bfloat16:
      return key(bfloat16{});
    case element_type::int8:
      return key(std::int8_t{});
    case element_type::int16:
      return key(std::int16_t{});
    case element_type::int32:
      return key(std::int32_t{});
    case element_type::int64:
      return key(std::int64_t{});
    case element_type::uint8:
      return key(std::uint8_t{});
    case element_type::uint16:
      return key(std::uint16_t{});
    case element_type::uint32:
      return key(std::uint32_t{});
    default:
      return key(std::uint64_t{});
  }
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
  std::uint64_t word = best.index;
  if (!gives_index) {
    const auto element = [&]<class T>(T) { return core::element_of_key<T, greatest>(best.key); };
    switch (x.type) {
      case element_type::float32:
        word = element(float{});
        break;
      case element_type::float64:
        word = element(double{});
        break;
      case element_type::float16:
        word = element(float16{});
        break;
      case element_type::bfloat16:
        word = element(bfloat16{});
        break;
      case element_type::int8:
        word = element(std::int8_t{});
        break;
      case element_type::int16:
        word = element(std::int16_t{});
        break;
      case element_type::int32:
        word = element(std::int32_t{});
        break;
      case element_type::int64:
        word = element(std::int64_t{});
        break;
      case element_type::uint8:
        word = element(std::uint8_t{});
        break;
      case element_type::uint16:
        word = element(std::uint16_t{});
        break;
      case element_type::uint32:
        word = element(std::uint32_t{});
        break;
      default:
        word = element(std::uint64_t{});
        break;
    }
  }
  store_anywhere(to, word);
}

}  // namespace
}  // namespace exactdot::cuda_engine
