// First look at groups with tables in shared memory: one for each block.
//
// A sum is a number of 32-bit words, see window.cuh. The window has room for n terms, so the sum is that of
// the exact integers. A thread loads its next four elements before it adds those that it has, one after the other.
//
// Four neighbouring elements of one group, as in sorted keys, are added in registers, as long as the group does not
// change, if that is so in many lanes of a warp. At its end a block adds its table to global memory: word by word
// in 64 bits, without carries.
#pragma once

#include <cuda/group/window.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The words of a stream's sums: a float's term has 24 bits, so three words leave room for most exponents. Squares
/// of a variance have more than other terms of their length, because most of their sum may cancel.
template <class Source>
EXACTDOT_CORE int table_words(int stream) {
  if (stream == 1 && Source::max_bits(1) > 64) return 5;
  return Source::max_bits(stream) <= 24 ? 3 : 4;
}

/// Four words, for terms of one group in a row; sums of five words have none.
template <class Source, int stream>
struct run_sum {
  core::uint128 sum = 0;  // in two's complement
  __device__ __forceinline__ void add(core::uint128 magnitude, int offset, bool negative) {
    const core::uint128 term = magnitude << offset;
    sum += negative ? ~term + 1 : term;
  }
};

/// The table of a block. An entry is the number of a group, or a copy of it.
template <class Source>
struct table_view {
  unsigned* words;
  unsigned entries;
  const group_input& in;
  const group_memory& to;
  group_window window[2];
  bool is_magnitude;

  template <int stream>
  [[nodiscard]] __device__ __forceinline__ unsigned* number(unsigned entry) const {
    constexpr unsigned first = stream == 0 ? 0 : table_words<Source>(0);
    return words + first * entries + entry;
  }
  template <int stream>
  __device__ __forceinline__ void add(const Source& of, int k, unsigned group, unsigned entry) const {
    if constexpr (Source::has_quick_terms(stream)) {
      constexpr int bits = Source::max_bits(stream);
      const quick_term term = of.template quick<stream>(is_magnitude, k);
      const int offset = term.exponent - window[stream].lowest;
      if (term.is_quick && fits<bits>(offset, window[stream])) {
        add_quickly<bits, table_words<Source>(stream)>(number<stream>(entry), entries, term.magnitude, offset,
                                                       term.negative);
      } else if (!term.is_zero) {
        add_rare<stream>({number<stream>(entry), entries, to.flags + group, window[stream], is_magnitude},
                         of.first(k), of.second(k));
      }
    } else {
      add_any<stream>(of, k, group, entry);
    }
  }
  template <int stream>
  __device__ __forceinline__ void add_to_run(const Source& of, int k, unsigned group, unsigned entry,
                                             run_sum<Source, stream>& run) const {
    if constexpr (Source::has_quick_terms(stream)) {
      const quick_term term = of.template quick<stream>(is_magnitude, k);
      const int offset = term.exponent - window[stream].lowest;
      if (term.is_quick && fits<Source::max_bits(stream)>(offset, window[stream])) {
        run.add(term.magnitude, offset, term.negative);
      } else if (!term.is_zero) {
        add_rare<stream>({number<stream>(entry), entries, to.flags + group, window[stream], is_magnitude},
                         of.first(k), of.second(k));
      }
    } else if constexpr (table_words<Source>(stream) > 4) {
      add_any<stream>(of, k, group, entry);
    } else {
      auto term = of.template addend<stream>(in, k);
      int offset = 0;
      if (place<stream, Source::always_drops(stream)>(term, window[stream], to.flags + group, offset)) {
        run.add(term.magnitude, offset, term.negative);
      }
    }
  }
  template <int bits>
  static __device__ __forceinline__ bool fits(int offset, const group_window& in_window) {
    return static_cast<unsigned>(offset) <= static_cast<unsigned>(in_window.bits - bits);
  }
  template <int stream>
  __device__ __forceinline__ void add_any(const Source& of, int k, unsigned group, unsigned entry) const {
    auto term = of.template addend<stream>(in, k);
    int offset = 0;
    if (!place<stream, Source::always_drops(stream)>(term, window[stream], to.flags + group, offset)) return;
    add_to_number<Source::max_bits(stream), table_words<Source>(stream)>(number<stream>(entry), entries,
                                                                         term.magnitude, offset, term.negative);
  }
  /// By value, so that the view stays in registers.
  struct rare_place {
    unsigned* number;
    unsigned distance;
    unsigned* flags;
    group_window in_window;
    bool is_magnitude;
  };
  /// Not inlined: eight copies would make the kernel several times as long.
  template <int stream, class Carrier>
  [[gnu::noinline]] static __device__ void add_rare(rare_place at, Carrier first, Carrier second) {
    auto term = Source::template addend_of<stream>(at.is_magnitude, first, second);
    int offset = 0;
    if (!place<stream, Source::always_drops(stream)>(term, at.in_window, at.flags, offset)) return;
    add_to_number<Source::max_bits(stream), table_words<Source>(stream)>(at.number, at.distance, term.magnitude,
                                                                         offset, term.negative);
  }
  template <int stream>
  __device__ __forceinline__ void end_run(unsigned entry, run_sum<Source, stream>& run) const {
    if constexpr (table_words<Source>(stream) > 4) return;
    const bool negative = static_cast<std::uint64_t>(run.sum >> 127) != 0;
    add_to_number<128, table_words<Source>(stream)>(number<stream>(entry), entries,
                                                    negative ? ~run.sum + 1 : run.sum, 0, negative);
    run.sum = 0;
  }
  __device__ __forceinline__ void count(unsigned entry, unsigned elements) const {
    constexpr int before = table_words<Source>(0) + (Source::streams == 2 ? table_words<Source>(1) : 0);
    atomicAdd(words + before * entries + entry, elements);
  }
};

/// Adds the table to the sums of the grid, word by word. By all threads; a warp for each group of many copies.
template <class Source>
__device__ __forceinline__ void merge_table(const unsigned* table, unsigned entries, unsigned copies,
                                            const group_input& in, const group_scheme& scheme,
                                            const group_memory& to) {
  constexpr int sum_words = table_words<Source>(0) + (Source::streams == 2 ? table_words<Source>(1) : 0);
  const int words = sum_words + (scheme.has_counts ? 1 : 0);
  const unsigned lanes = copies < 32 ? 1 : 32, lane = threadIdx.x % lanes;
  for (unsigned group = threadIdx.x / lanes; group < in.groups; group += blockDim.x / lanes) {
    for (int word = 0; word < words; ++word) {
      const unsigned* const first = table + static_cast<unsigned>(word) * entries + group * copies;
      wide_unsigned sum = 0;
      for (unsigned copy = lane; copy < copies; copy += lanes) sum += first[copy];
      for (unsigned step = lanes / 2; step != 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
      if (sum == 0 || lane != 0) continue;
      wide_unsigned* const all = word < sum_words ? to.sums + std::size_t(word) * in.groups : to.counts;
      atomicAdd(all + group, sum);
    }
  }
}

/// Lanes of a warp, at least, whose packs have to be of one group each for the warp to add those in registers: if
/// they are few, as with random keys, both ways together would take longer.
constexpr int min_runs_of_warp = 8;

template <class Source>
__global__ void __launch_bounds__(1024)
    group_table_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                       const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  unsigned* const words = gpu::dynamic_shared<unsigned>();
  const unsigned entries = in.groups * scheme.copies;
  for (unsigned i = threadIdx.x; i < scheme.shared_bytes / sizeof(unsigned); i += blockDim.x) words[i] = 0;
  group_window window[2] = {};
  for (int stream = 0; stream < Source::streams; ++stream) {
    window[stream] = window_of(scheme, *to.status, stream);
  }
  __syncthreads();
  const table_view<Source> table{words, entries, in, to, {window[0], window[1]}, in.absolute};
  const unsigned copies = scheme.copies, copy = threadIdx.x & (copies - 1), lane = threadIdx.x % 32;
  unsigned current = no_group, elements_of_run = 0;  // an entry
  run_sum<Source, 0> run;
  run_sum<Source, Source::streams - 1> second_run;
  const auto end_run = [&] {
    if (current == no_group) return;
    table.template end_run<0>(current, run);
    if constexpr (Source::streams == 2) table.template end_run<1>(current, second_run);
    if (scheme.has_counts) table.count(current, elements_of_run);
    elements_of_run = 0;
  };
  const block_share share(in.n);
  std::size_t first = share.begin + threadIdx.x - lane;  // of the warp
  keyed_pack<Source> next;
  if (first < share.end) next.load(in, first + lane, share.end);
  for (; first < share.end; first += blockDim.x) {
    const keyed_pack<Source> pack = next;
    if (first + blockDim.x < share.end) next.load(in, first + blockDim.x + lane, share.end);
    unsigned group[group_pack];
    pack.groups(in, to, first + lane, share.end, group);
    const bool is_run = is_one_group(group);
    const bool adds_runs = __popc(__ballot_sync(all_lanes, is_run)) >= min_runs_of_warp;
    if (is_run && (adds_runs || group[0] == no_group)) {
      if (group[0] == no_group) continue;
      const unsigned entry = group[0] * copies + copy;
      if (entry != current) {
        end_run();
        current = entry;
      }
#pragma unroll
      for (int k = 0; k < group_pack; ++k) {
        table.template add_to_run<0>(pack.of, k, group[0], entry, run);
        if constexpr (Source::streams == 2) {
          table.template add_to_run<1>(pack.of, k, group[0], entry, second_run);
        }
      }
      elements_of_run += group_pack;
      continue;
    }
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      if (group[k] == no_group) continue;
      const unsigned entry = group[k] * copies + copy;
      table.template add<0>(pack.of, k, group[k], entry);
      if constexpr (Source::streams == 2) table.template add<1>(pack.of, k, group[k], entry);
      if (scheme.has_counts) table.count(entry, 1);
    }
  }
  end_run();
  end_of_input(in.n);
  __syncthreads();
  merge_table<Source>(words, entries, scheme.copies, in, scheme, to);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
