// Extrema of groups, and how many elements each group has.
//
// An extremum is the greatest rank (work/extremum_rank.hpp). Ranks lie in a table in shared memory for each block
// or, if there are too many groups, in global memory, with tables of the frequent groups (frequencies.cuh) before
// it if the keys are skewed. A thread reads its group's rank before it changes it, so that random data costs few
// atomics. A rank of 0 is no element; ranks of 64-bit integers use all words, so a flag tells.
#pragma once

#include <cuda/group/frequencies.cuh>
#include <cuda/group/window.cuh>
#include <cuda/work/extremum_rank.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Calls visit(i, groups) for the thread's packs: of elements i on. The block's share is contiguous.
template <class Visit>
__device__ __forceinline__ void for_each_key_pack(const group_input& in, const group_memory& to, Visit visit) {
  const block_share share(in.n);
  for (std::size_t pack = share.begin + threadIdx.x; pack < share.end; pack += blockDim.x) {
    const std::size_t i = pack * group_pack;
    unsigned group[group_pack];
    load_keys(in, to, i, static_cast<unsigned>(::min(in.n - i, std::size_t{group_pack})), group);
    visit(i, group);
  }
}

/// Calls visit(i, group) for the thread's elements that belong to a group: element i.
template <class Visit>
__device__ __forceinline__ void for_each_key(const group_input& in, const group_memory& to, Visit visit) {
  for_each_key_pack(in, to, [&](std::size_t i, const unsigned(&group)[group_pack]) {
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      if (group[k] != no_group) visit(i + static_cast<unsigned>(k), group[k]);
    }
  });
}

/// Calls visit(group, elements) for the thread's elements that belong to a group: once for a pack of one group.
template <class Visit>
__device__ __forceinline__ void for_each_pack(const group_input& in, const group_memory& to, Visit visit) {
  for_each_key_pack(in, to, [&](std::size_t, const unsigned(&group)[group_pack]) {
    if (is_one_group(group)) {
      if (group[0] != no_group) visit(group[0], group_pack);
      return;
    }
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      if (group[k] != no_group) visit(group[k], 1);
    }
  });
}

__device__ __forceinline__ void raise(wide_unsigned* to, wide_unsigned rank) {
  if (load_word(to) < rank) atomicMax(to, rank);
}

/// Whether the ranks of a type leave a word for "no element".
EXACTDOT_CORE bool has_rank_of_nothing(element_type type) {
  return type != element_type::int64 && type != element_type::uint64;
}

/// Raises the group's rank to that of each of the thread's elements: rank_in(group) is its word.
template <class RankIn>
__device__ __forceinline__ void raise_ranks(const group_input& in, const rank_rule& rule, const group_memory& to,
                                            RankIn rank_in) {
  const unsigned first = has_rank_of_nothing(in.a.type) ? 1 : 0;
  for_each_key(in, to, [&](std::size_t i, unsigned group) {
    if (first == 0) set_flag(to.flags + group, group_flag::present);
    raise(rank_in(group), rank_of(rule, bits_at(in.a, i)) + first);
  });
}

__global__ void __launch_bounds__(1024)
    group_extremum_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                          const __grid_constant__ rank_rule rule, const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  wide_unsigned* const table = gpu::dynamic_shared<wide_unsigned>();
  const auto clear_table = [&](unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) table[i] = 0;
  };
  if (scheme.in_shared) {
    clear_table(in.groups);
    __syncthreads();
    raise_ranks(in, rule, to, [&](unsigned group) { return table + group; });
  } else if (has_skewed_keys(to)) {
    frequent_table frequent(reinterpret_cast<unsigned*>(table + frequent_entries), threadIdx.x % 32);
    frequent.load(to);
    clear_table(frequent_entries);
    __syncthreads();
    raise_ranks(in, rule, to, [&](unsigned group) {
      const unsigned entry = frequent.entry_of(group);
      return entry == no_group ? to.sums + group : table + entry;
    });
    __syncthreads();
    frequent.for_each([&](unsigned group, unsigned entry, unsigned copies) {
      for (unsigned k = 0; k < copies; ++k) raise(to.sums + group, table[entry + k]);
    });
  } else {
    raise_ranks(in, rule, to, [&](unsigned group) { return to.sums + group; });
  }
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

/// Counts in tables of 32-bit words, of all groups or of the frequent ones, or in global memory.
__global__ void __launch_bounds__(1024)
    group_count_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                       const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  unsigned* const table = gpu::dynamic_shared<unsigned>();
  const auto clear_table = [&](unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) table[i] = 0;
  };
  const auto sum_of = [&](unsigned first, unsigned copies) {
    wide_unsigned sum = 0;
    for (unsigned k = 0; k < copies; ++k) sum += table[first + k];
    return sum;
  };
  if (has_skewed_keys(to)) {
    frequent_table frequent(table + frequent_entries, threadIdx.x % 32);
    frequent.load(to);
    clear_table(frequent_entries);
    __syncthreads();
    for_each_pack(in, to, [&](unsigned group, unsigned elements) {
      const unsigned entry = frequent.entry_of(group);
      if (entry == no_group) {
        atomicAdd(to.sums + group, wide_unsigned{elements});
      } else {
        atomicAdd(table + entry, elements);
      }
    });
    __syncthreads();
    frequent.for_each([&](unsigned group, unsigned entry, unsigned copies) {
      const wide_unsigned sum = sum_of(entry, copies);
      if (sum != 0) atomicAdd(to.sums + group, sum);
    });
    return;
  }
  if (!scheme.in_shared) {
    for_each_pack(in, to,
                  [&](unsigned group, unsigned elements) { atomicAdd(to.sums + group, wide_unsigned{elements}); });
    return;
  }
  const unsigned copy = threadIdx.x % scheme.copies;
  clear_table(in.groups * scheme.copies);
  __syncthreads();
  for_each_key(in, to, [&](std::size_t, unsigned group) { atomicAdd(table + group * scheme.copies + copy, 1U); });
  __syncthreads();
  for (unsigned group = threadIdx.x; group < in.groups; group += blockDim.x) {
    const wide_unsigned sum = sum_of(group * scheme.copies, scheme.copies);
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
}  // namespace exactdot::inline v0_3::cuda_engine
