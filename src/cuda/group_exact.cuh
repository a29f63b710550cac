// Second look at the groups that the first one leaves open: the exact state of each, in global memory.
//
// A pass takes the open groups from `first` on that fit the memory, and reads all keys and the elements of these
// groups. A limb of 32 bits lies in 64, so 2^30 terms are added without a carry; then a kernel passes carries on.
// Always right, slow where few groups have most of the elements: their atomics wait for each other.
#pragma once

#include <cuda/group_finish.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Open groups of a pass.
struct group_pass {
  unsigned first = 0, count = 0;
  core::state_layout layout = {};
  int streams = 1;
  std::size_t words = 0;  ///< of a group, see words_of_open_group
};

/// Open groups of the pass.
__device__ __forceinline__ unsigned groups_of_pass(const group_pass& pass, const group_memory& to) {
  const unsigned open = to.status->open;
  return open > pass.first ? ::min(open - pass.first, pass.count) : 0;
}

__global__ void __launch_bounds__(256)
    group_clear_states_kernel(const __grid_constant__ group_pass pass, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  const std::size_t count = groups_of_pass(pass, to) * pass.words, stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) to.states[i] = 0;
}

/// Adds a term to the limbs of a state. Zero digits cost nothing.
__device__ inline void add_to_state(wide_unsigned* words, const core::state_layout& layout, core::exact_term term) {
  if (term.kind != core::kind::finite || term.magnitude == 0) return;
  int offset = term.exponent - layout.lowest_exponent;
  if (offset < 0) {  // bits below the state are 0
    term.magnitude >>= -offset;
    offset = 0;
  }
  const int shift = offset & 31;
  core::uint128 low = term.magnitude << shift;
  const auto high = static_cast<unsigned>(shift == 0 ? 0 : term.magnitude >> (128 - shift));
  wide_unsigned* limb = words + (offset >> 5);
  for (int k = 0; k < 5; ++k, ++limb, low >>= 32) {
    const wide_unsigned digit = k == 4 ? high : static_cast<unsigned>(low);
    if (digit != 0) atomicAdd(limb, term.negative ? 0 - digit : digit);
  }
}

/// Elements `begin` to end - 1, at most 2^30.
__global__ void __launch_bounds__(256)
    group_exact_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_pass pass,
                       const __grid_constant__ group_memory to, std::size_t begin, std::size_t end) {
  begin_kernel(end - begin);
  const unsigned groups = groups_of_pass(pass, to);
  if (groups == 0) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    const char* const at = in.keys + static_cast<std::ptrdiff_t>(i) * in.key_stride;
    const wide_unsigned key =
        in.key_bytes == 4 ? *reinterpret_cast<const unsigned*>(at) : *reinterpret_cast<const wide_unsigned*>(at);
    if (key >= in.groups) continue;
    const unsigned slot = to.slots[key];
    if (slot == no_group || slot - pass.first >= groups) continue;
    wide_unsigned* const words = to.states + (slot - pass.first) * pass.words;
    for (int stream = 0; stream < pass.streams; ++stream) {
      add_to_state(words + stream * pass.layout.words(), pass.layout, any_addend(in, stream, i));
    }
  }
}

/// Passes carries on.
__global__ void __launch_bounds__(128)
    group_carry_kernel(const __grid_constant__ group_pass pass, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  const unsigned groups = groups_of_pass(pass, to), stride = gridDim.x * blockDim.x;
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < groups; slot += stride) {
    auto* const words = reinterpret_cast<std::int64_t*>(to.states + slot * pass.words);
    for (int stream = 0; stream < pass.streams; ++stream) {
      core::normalise(pass.layout, words + stream * pass.layout.words());
    }
  }
}

/// The results of the pass.
__global__ void __launch_bounds__(128)
    group_exact_finish_kernel(const __grid_constant__ group_pass pass, const __grid_constant__ group_scheme scheme,
                              const __grid_constant__ group_results out, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  const unsigned groups = groups_of_pass(pass, to), stride = gridDim.x * blockDim.x;
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < groups; slot += stride) {
    const unsigned group = to.open[pass.first + slot];
    auto* const words = reinterpret_cast<std::int64_t*>(to.states + slot * pass.words);
    const wide_unsigned count = count_of(scheme, to, group);
    std::int64_t* const squares = words + pass.layout.words();
    core::normalise(pass.layout, words);
    core::outcome found{0};
    if (pass.streams == 1) {
      found = core::finish_state(out.rule, pass.layout, words, count);
    } else {
      core::normalise(pass.layout, squares);
      found = core::finish_moments(out.rule, pass.layout, words, squares, count, out.ddof,
                                   squares + pass.layout.words());
    }
    store_group(out, group, found);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
