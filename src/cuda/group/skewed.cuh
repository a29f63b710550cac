// First look at more groups than a table holds, if some of them have many of the elements.
//
// Atomics on one record wait for each other, 1 to 3 ns each on an H100: a group with a share p of 2^26 elements
// takes about p · 100 ms. So each block has a table of the frequent groups (frequencies.cuh) in shared
// memory, as in table.cuh, before the records of all groups (scatter.cuh), to which it adds its table
// at its end. Both have the window of the call, so where a term is added does not change the sum. A number in a
// table has room for the block's share of the elements; its limbs are added to the record as if they were of so
// many terms. If the keys are not skewed, this kernel returns at once; if they are, group_scatter_kernel does.
// Cost: a look-up in shared memory for each element, and what the table or the records cost.
#pragma once

#include <cuda/group/frequencies.cuh>
#include <cuda/group/scatter.cuh>
#include <cuda/group/table.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Words of an entry in the table of a block.
template <class Source>
EXACTDOT_CORE int skewed_words(bool counts) {
  return table_words<Source>(0) + (Source::streams == 2 ? table_words<Source>(1) : 0) + (counts ? 1 : 0);
}

/// 64 bits of a number of `words` digits in two's complement, from bit `first` on.
template <int words>
__device__ __forceinline__ std::uint64_t bits_of_number(const unsigned (&digit)[words], int first) {
  const unsigned sign = digit[words - 1] >> 31 != 0 ? ~0U : 0U;
  const auto at = [&](int k) { return k < words ? digit[k] : sign; };
  const int word = first >> 5;
  const auto shift = static_cast<unsigned>(first & 31);
  const unsigned low = __funnelshift_r(at(word), at(word + 1), shift);
  return wide_unsigned{__funnelshift_r(at(word + 1), at(word + 2), shift)} << 32 | low;
}

/// Adds a stream's number of a frequent group, `entries` copies of it from `first` on, to the group's record.
template <int words, int limbs>
__device__ __forceinline__ void add_number_to_record(const unsigned* first, unsigned distance, unsigned copies,
                                                     int limb_bits, wide_unsigned* record) {
  unsigned digit[words];
  wide_unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < words; ++k) {
    for (unsigned copy = 0; copy < copies; ++copy) sum += first[static_cast<unsigned>(k) * distance + copy];
    digit[k] = static_cast<unsigned>(sum);
    sum >>= 32;
  }
  const std::uint64_t mask = (std::uint64_t{1} << limb_bits) - 1;
#pragma unroll
  for (int j = 0; j < limbs; ++j) {
    std::uint64_t limb = bits_of_number(digit, j * limb_bits);
    if (j < limbs - 1) limb &= mask;  // the last one has the sign
    if (limb != 0) atomicAdd(record + j, static_cast<wide_unsigned>(limb));
  }
}

/// Adds the block's table to the records. By all threads.
template <class Source, bool counts>
__device__ __forceinline__ void merge_frequent(const frequent_table& frequent, const unsigned* numbers,
                                               const group_input& in, const group_scheme& scheme,
                                               const group_memory& to) {
  constexpr int words = record_words<Source, counts>(0);
  frequent.for_each([&](unsigned group, unsigned entry, unsigned copies) {
    wide_unsigned* const record = to.sums + std::size_t{group} * words;
    const unsigned* const first = numbers + entry;
    add_number_to_record<table_words<Source>(0), record_limbs<Source>(0)>(first, frequent_entries, copies,
                                                                          scheme.limb_bits, record);
    if constexpr (Source::streams == 2) {
      constexpr int second_words = record_words<Source, counts>(1);
      add_number_to_record<table_words<Source>(1), record_limbs<Source>(1)>(
          first + table_words<Source>(0) * frequent_entries, frequent_entries, copies, scheme.limb_bits,
          to.sums + std::size_t{in.groups} * words + std::size_t{group} * second_words);
    }
    if (counts && scheme.has_counts) {
      wide_unsigned sum = 0;
      const unsigned* const count = first + (skewed_words<Source>(true) - 1) * frequent_entries;
      for (unsigned copy = 0; copy < copies; ++copy) sum += count[copy];
      if (sum != 0) atomicAdd(record + words - 1, sum);
    }
  });
}

template <class Source, bool counts>
__global__ void __launch_bounds__(512)
    group_skewed_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                        const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  if (!has_skewed_keys(to)) return;
  unsigned* const shared = gpu::dynamic_shared<unsigned>();
  unsigned* const numbers = shared + frequent_table_bytes / 4;
  const unsigned lane = threadIdx.x % 32;
  frequent_table frequent(shared, lane);
  frequent.load(to);
  for (unsigned i = threadIdx.x; i < skewed_words<Source>(scheme.has_counts) * frequent_entries; i += blockDim.x)
    numbers[i] = 0;
  group_window window[2] = {};
  for (int stream = 0; stream < Source::streams; ++stream) {
    window[stream] = window_of(scheme, *to.status, stream);
  }
  __syncthreads();
  const table_view<Source> table{numbers, frequent_entries, in, to, {window[0], window[1]}, in.absolute};
  unsigned current = no_group, entry_of_run = no_group, elements_of_run = 0;
  run_sum<Source, 0> run;
  run_sum<Source, Source::streams - 1> second_run;
  const auto end_run = [&] {
    if (entry_of_run == no_group) return;
    table.template end_run<0>(entry_of_run, run);
    if constexpr (Source::streams == 2) table.template end_run<1>(entry_of_run, second_run);
    if (counts && scheme.has_counts) table.count(entry_of_run, elements_of_run);
    elements_of_run = 0;
  };
  const block_share share(in.n);
  for (std::size_t first = share.begin + threadIdx.x - lane; first < share.end;
       first += blockDim.x) {  // of the warp
    keyed_pack<Source> pack;
    pack.load(in, first + lane, share.end);
    unsigned group[group_pack];
    pack.groups(in, to, first + lane, share.end, group);
    const bool is_run = is_one_group(group);
    const bool adds_runs = __popc(__ballot_sync(all_lanes, is_run)) >= min_runs_of_warp;
    // the elements of frequent groups, which then belong to none
    if (is_run && adds_runs) {
      if (group[0] != current) {
        end_run();
        current = group[0], entry_of_run = frequent.entry_of(current);
      }
      if (entry_of_run != no_group) {
#pragma unroll
        for (int k = 0; k < group_pack; ++k) {
          table.template add_to_run<0>(pack.of, k, group[0], entry_of_run, run);
          if constexpr (Source::streams == 2) {
            table.template add_to_run<1>(pack.of, k, group[0], entry_of_run, second_run);
          }
        }
        elements_of_run += group_pack;
#pragma unroll
        for (int k = 0; k < group_pack; ++k) group[k] = no_group;
      }
    } else {
#pragma unroll
      for (int k = 0; k < group_pack; ++k) {
        const unsigned entry = frequent.entry_of(group[k]);
        if (entry == no_group) continue;
        table.template add<0>(pack.of, k, group[k], entry);
        if constexpr (Source::streams == 2) table.template add<1>(pack.of, k, group[k], entry);
        if (counts && scheme.has_counts) table.count(entry, 1);
        group[k] = no_group;
      }
    }
    add_warp_to_records<counts>(pack.of, group, in, window, scheme, to);
  }
  end_run();
  end_of_input(in.n);
  __syncthreads();
  merge_frequent<Source, counts>(frequent, numbers, in, scheme, to);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
