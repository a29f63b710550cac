// Extrema of groups, and how many elements each group has.
//
// An extremum is the greatest rank (extremum_rank.hpp). Ranks lie in a table in shared memory for each block or, if
// there are too many groups, in global memory. A thread reads its group's rank before it changes it, so that random
// data costs few atomics. A rank of 0 is no element; ranks of 64-bit integers use all words, so a flag tells.
#pragma once

#include <cuda/extremum_rank.hpp>
#include <cuda/group_table.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Calls visit(i, group) for the thread's elements that belong to a group: element i. The block's share is
/// contiguous.
template <class Visit>
__device__ __forceinline__ void for_each_key(const group_input& in, const group_memory& to, Visit visit) {
  const std::size_t packs = (in.n + group_pack - 1) / group_pack, share = (packs + gridDim.x - 1) / gridDim.x;
  const std::size_t end = ::min(packs, (std::size_t{blockIdx.x} + 1) * share);
  for (std::size_t pack = blockIdx.x * share + threadIdx.x; pack < end; pack += blockDim.x) {
    const std::size_t i = pack * group_pack;
    unsigned group[group_pack];
    load_keys(in, to, i, static_cast<unsigned>(::min(in.n - i, std::size_t{group_pack})), group);
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      if (group[k] != no_group) visit(i + static_cast<unsigned>(k), group[k]);
    }
  }
}

__device__ __forceinline__ void raise(wide_unsigned* to, wide_unsigned rank) {
  if (load_word(to) < rank) atomicMax(to, rank);
}

/// Whether the ranks of a type leave a word for "no element".
EXACTDOT_CORE bool has_rank_of_nothing(element_type type) {
  return type != element_type::int64 && type != element_type::uint64;
}

__global__ void __launch_bounds__(1024)
    group_extremum_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                          const __grid_constant__ rank_rule rule, const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  wide_unsigned* const table = gpu::dynamic_shared<wide_unsigned>();
  const unsigned first = has_rank_of_nothing(in.a.type) ? 1 : 0;
  if (scheme.in_shared) {
    for (unsigned group = threadIdx.x; group < in.groups; group += blockDim.x) table[group] = 0;
    __syncthreads();
  }
  wide_unsigned* const ranks = scheme.in_shared ? table : to.sums;
  for_each_key(in, to, [&](std::size_t i, unsigned group) {
    if (first == 0) set_flag(to.flags + group, group_flag::present);
    raise(ranks + group, rank_of(rule, bits_at(in.a, i)) + first);
  });
  end_of_input(in.n);
  if (!scheme.in_shared) return;
  __syncthreads();
  for (unsigned group = threadIdx.x; group < in.groups; group += blockDim.x) raise(to.sums + group, table[group]);
}

__device__ __forceinline__ bool is_empty_group(const group_input& in, const group_memory& to, std::size_t group) {
  if (has_rank_of_nothing(in.a.type)) return to.sums[group] == 0;
  return (to.flags[group] & group_flag::present) == 0;
}

/// Notes the first group without elements.
__global__ void __launch_bounds__(256)
    group_empty_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.groups; i += stride) {
    if (is_empty_group(in, to, i)) note_lowest(&to.status->empty_group, i);
  }
}

/// Of the status of a call: nothing is to be stored. Passes errors on to the workspace.
__device__ __forceinline__ bool has_errors(const group_results& out, const group_memory& to) {
  const wide_unsigned bad_key = to.status->bad_key, empty_group = to.status->empty_group;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (bad_key != 0) atomicMax(to.first_bad_key, bad_key);
    if (empty_group != 0) atomicMax(to.first_empty_group, empty_group);
  }
  return out.only_if_all_right && (bad_key != 0 || empty_group != 0);
}

__global__ void __launch_bounds__(256)
    group_extremum_finish_kernel(const __grid_constant__ group_input in, const __grid_constant__ rank_rule rule,
                                 const __grid_constant__ group_results out,
                                 const __grid_constant__ group_memory to) {
  begin_kernel(0);
  if (has_errors(out, to)) return;
  const unsigned first = has_rank_of_nothing(in.a.type) ? 1 : 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.groups; i += stride) {
    std::uint64_t word = out.of_empty;
    if (!is_empty_group(in, to, i)) word = element_of_rank(rule, to.sums[i] - first);
    store_group(out, static_cast<unsigned>(i), {word});
  }
}

/// Counts in tables of 32-bit words, or at once.
__global__ void __launch_bounds__(1024)
    group_count_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                       const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  unsigned* const table = gpu::dynamic_shared<unsigned>();
  if (!scheme.in_shared) {
    for_each_key(in, to, [&](std::size_t, unsigned group) { atomicAdd(to.sums + group, wide_unsigned{1}); });
    return;
  }
  const unsigned copy = threadIdx.x % scheme.copies;
  for (unsigned i = threadIdx.x; i < in.groups * scheme.copies; i += blockDim.x) table[i] = 0;
  __syncthreads();
  for_each_key(in, to, [&](std::size_t, unsigned group) { atomicAdd(table + group * scheme.copies + copy, 1U); });
  __syncthreads();
  for (unsigned group = threadIdx.x; group < in.groups; group += blockDim.x) {
    wide_unsigned sum = 0;
    for (unsigned k = 0; k < scheme.copies; ++k) sum += table[group * scheme.copies + k];
    if (sum != 0) atomicAdd(to.sums + group, sum);
  }
}

__global__ void __launch_bounds__(256)
    group_count_finish_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_results out,
                              const __grid_constant__ group_memory to) {
  begin_kernel(0);
  if (has_errors(out, to)) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.groups; i += stride) {
    *reinterpret_cast<wide_unsigned*>(out.at(i)) = to.sums[i];
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine
