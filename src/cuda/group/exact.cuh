// Second look at the groups that the first one leaves open: the exact state of each.
//
// A pass takes the open groups from `first` on that fit the memory, and reads all keys and the elements of these
// groups. Few groups: each block has their states in shared memory, as words of 32 bits with carries (see
// table.cuh), and adds them to those in global memory at its end. A word begins as 2^31, so that carries of
// either sign end soon, also where sums cross zero. More groups: atomics in global memory, where a limb of 32 bits
// lies in 64, so 2^30 terms are added without a carry; then a kernel passes carries on. Always right.
#pragma once

#include <cuda/group/finish.cuh>
#include <cuda/group/terms.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Open groups of a pass.
struct group_pass {
  unsigned first = 0, count = 0;
  core::state_layout layout = {};
  int streams = 1;
  std::size_t words = 0;   ///< of a group, see words_of_open_group
  unsigned in_shared = 0;  ///< up to so many groups have states in shared memory, too

  [[nodiscard]] EXACTDOT_CORE unsigned shared_words() const {
    return static_cast<unsigned>(streams * (layout.limbs + 1));
  }
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

/// The place of element i's group in the pass; not below the number of its groups if it has none.
__device__ __forceinline__ unsigned slot_of_element(const group_input& in, const group_pass& pass,
                                                    const group_memory& to, std::size_t i) {
  const wide_unsigned key = load_key(in, i);
  const unsigned slot = key < in.groups ? to.slots[key] : no_group;
  return slot == no_group || slot < pass.first ? no_group : slot - pass.first;
}

/// For few groups, by states in shared memory.
__global__ void __launch_bounds__(512)
    group_exact_table_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_pass pass,
                             const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  const unsigned groups = groups_of_pass(pass, to);
  if (groups > pass.in_shared) return;
  unsigned* const words = gpu::dynamic_shared<unsigned>();
  const unsigned of_group = pass.shared_words(), of_state = static_cast<unsigned>(pass.layout.limbs) + 1;
  for (unsigned i = threadIdx.x; i < groups * of_group; i += blockDim.x) words[i] = word_of_zero;
  __syncthreads();
  const std::size_t share = (in.n + gridDim.x - 1) / gridDim.x;
  const std::size_t end = groups == 0 ? 0 : ::min(in.n, (std::size_t{blockIdx.x} + 1) * share);
  for (std::size_t i = blockIdx.x * share + threadIdx.x; i < end; i += blockDim.x) {
    const unsigned slot = slot_of_element(in, pass, to, i);
    if (slot >= groups) continue;
    for (int stream = 0; stream < pass.streams; ++stream) {
      add_to_shared_state(words + slot * of_group + static_cast<unsigned>(stream) * of_state, pass.layout,
                          any_addend(in, stream, i));
    }
  }
  end_of_input(in.n);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < groups * of_group; i += blockDim.x) {
    const unsigned state = i / of_state, word = i % of_state;
    const unsigned group = state / static_cast<unsigned>(pass.streams), stream = state % pass.streams;
    const std::int64_t digit = static_cast<std::int64_t>(words[i]) - word_of_zero;
    if (digit == 0) continue;
    // the word above the last limb belongs to it
    const unsigned limb = ::min(word, static_cast<unsigned>(pass.layout.limbs) - 1);
    const wide_unsigned value = static_cast<wide_unsigned>(digit) << (limb == word ? 0 : 32);
    atomicAdd(to.states + group * pass.words + stream * static_cast<unsigned>(pass.layout.words()) + limb, value);
  }
}

/// Elements `begin` to end - 1, at most 2^30.
__global__ void __launch_bounds__(256)
    group_exact_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_pass pass,
                       const __grid_constant__ group_memory to, std::size_t begin, std::size_t end) {
  begin_kernel(end - begin);
  const unsigned groups = groups_of_pass(pass, to);
  if (groups <= pass.in_shared) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    const unsigned slot = slot_of_element(in, pass, to, i);
    if (slot >= groups) continue;
    wide_unsigned* const words = to.states + slot * pass.words;
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
    if (out.adds) {
      found = core::finish_with_held_addend(out.rule, pass.layout, words, old_term(out.rule, out.at(group)));
    } else if (pass.streams == 1) {
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
}  // namespace exactdot::inline v0_3::cuda_engine
