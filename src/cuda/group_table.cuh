// First look at groups with tables in shared memory: one for each block.
//
// A sum is a number of `words` 32-bit words in two's complement. 32-bit atomics of shared memory are native, so a
// term is added word by word: the value that an atomic returns tells whether the word wrapped, and the carry goes
// to the next one. Carries of concurrent threads may overtake each other; modulo 2^(32·words) their sum is the
// same. The window has room for n terms, so the sum is that of the exact integers.
//
// Four neighbouring elements of one group, as in sorted keys, are added in registers, as long as the group does not
// change. At its end a block adds its table to global memory: word by word in 64 bits, without carries.
// Cost: 2 to 4 shared atomics a term.
#pragma once

#include <cuda/group_window.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Adds digit + carry to a word, or subtracts it. Returns the carry.
__device__ __forceinline__ unsigned add_word(unsigned* word, unsigned digit, unsigned carry, bool negative) {
  const std::uint64_t sum = std::uint64_t{digit} + carry;
  const auto low = static_cast<unsigned>(sum);
  if (low == 0) return static_cast<unsigned>(sum >> 32);  // 0, or 2^32: a carry
  const unsigned old = atomicAdd(word, negative ? 0U - low : low);
  return negative ? old < low : old > ~low;
}

/// Adds ±magnitude · 2^offset, magnitude < 2^bits, to the number whose words are `distance` apart.
template <int bits, int words, class Magnitude>
__device__ __forceinline__ void add_to_number(unsigned* number, unsigned distance, Magnitude magnitude, int offset,
                                              bool negative) {
  using shifted_type = std::conditional_t<(bits + 31 <= 64), std::uint64_t, core::uint128>;
  constexpr int touched = 1 + (bits + 30) / 32;
  const int shift = offset & 31;
  shifted_type shifted = static_cast<shifted_type>(magnitude) << shift;
  unsigned last = 0;  // the fifth digit
  if constexpr (bits + 31 > 128) {
    last = static_cast<unsigned>(shift == 0 ? 0 : magnitude >> (128 - shift));
  }
  unsigned carry = 0;
  int at = offset >> 5;
#pragma unroll
  for (int j = 0; j < touched; ++j, ++at) {
    if (at >= words) return;
    const unsigned digit = j == 4 ? last : static_cast<unsigned>(shifted);
    carry = add_word(number + static_cast<unsigned>(at) * distance, digit, carry, negative);
    shifted >>= 32;
  }
  for (; carry != 0 && at < words; ++at) {
    carry = add_word(number + static_cast<unsigned>(at) * distance, 0, carry, negative);
  }
}

/// Adds ±magnitude · 2^offset, magnitude < 2^bits <= 2^53, to the number whose words are `distance` apart. All
/// words that the term touches exist: see max_quick_bits.
template <int bits, int words>
__device__ __forceinline__ void add_quickly(unsigned* number, unsigned distance, std::uint64_t magnitude,
                                            int offset, bool negative) {
  constexpr int touched = 1 + (bits + 30) / 32;
  const auto low = static_cast<unsigned>(magnitude), high = static_cast<unsigned>(magnitude >> 32);
  const int shift = offset & 31;
  unsigned* word = number + static_cast<unsigned>(offset >> 5) * distance;
  const unsigned first = low << shift;
  const unsigned before = atomicAdd(word, negative ? 0U - first : first);
  unsigned carry = negative ? before < first : before > ~first;
  word += distance;
  carry = add_word(word, __funnelshift_l(low, high, static_cast<unsigned>(shift)), carry, negative);
  if constexpr (touched == 3) {
    word += distance;
    carry = add_word(word, __funnelshift_l(high, 0, static_cast<unsigned>(shift)), carry, negative);
  }
  if (carry == 0) return;
  for (int at = (offset >> 5) + touched; carry != 0 && at < words; ++at) {
    carry = add_word(number + static_cast<unsigned>(at) * distance, 0, carry, negative);
  }
}

/// The widest window of so many words whose terms of so many bits add_quickly can add.
EXACTDOT_CORE int max_quick_bits(int bits, int words) {
  const int touched = 1 + (bits + 30) / 32;
  return 32 * (words - touched + 1) - 1 + bits;
}

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

/// The table of a block, and the thread's place in it.
template <class Source>
struct table_view {
  unsigned* words;
  unsigned entries, copies, copy;
  const group_input& in;
  const group_memory& to;
  group_window window[2];
  bool is_magnitude;

  template <int stream>
  [[nodiscard]] __device__ __forceinline__ unsigned* number(unsigned group) const {
    constexpr unsigned first = stream == 0 ? 0 : table_words<Source>(0);
    return words + first * entries + group * copies + copy;
  }
  template <int stream>
  __device__ __forceinline__ void add(const Source& of, int k, unsigned group) const {
    if constexpr (Source::has_quick_terms(stream)) {
      constexpr int bits = Source::max_bits(stream);
      const quick_term term = of.template quick<stream>(is_magnitude, k);
      if (term.is_zero) return;
      const int offset = term.exponent - window[stream].lowest;
      if (term.is_quick && fits<bits>(offset, window[stream])) {
        add_quickly<bits, table_words<Source>(stream)>(number<stream>(group), entries, term.magnitude, offset,
                                                       term.negative);
      } else {
        add_rare<stream>({number<stream>(group), entries, to.flags + group, window[stream], is_magnitude},
                         of.first(k), of.second(k));
      }
    } else {
      add_any<stream>(of, k, group);
    }
  }
  template <int stream>
  __device__ __forceinline__ void add_to_run(const Source& of, int k, unsigned group,
                                             run_sum<Source, stream>& run) const {
    if constexpr (Source::has_quick_terms(stream)) {
      const quick_term term = of.template quick<stream>(is_magnitude, k);
      if (term.is_zero) return;
      const int offset = term.exponent - window[stream].lowest;
      if (term.is_quick && fits<Source::max_bits(stream)>(offset, window[stream])) {
        run.add(term.magnitude, offset, term.negative);
      } else {
        add_rare<stream>({number<stream>(group), entries, to.flags + group, window[stream], is_magnitude},
                         of.first(k), of.second(k));
      }
    } else if constexpr (table_words<Source>(stream) > 4) {
      add_any<stream>(of, k, group);
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
  __device__ __forceinline__ void add_any(const Source& of, int k, unsigned group) const {
    auto term = of.template addend<stream>(in, k);
    int offset = 0;
    if (!place<stream, Source::always_drops(stream)>(term, window[stream], to.flags + group, offset)) return;
    add_to_number<Source::max_bits(stream), table_words<Source>(stream)>(number<stream>(group), entries,
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
  __device__ __forceinline__ void end_run(unsigned group, run_sum<Source, stream>& run) const {
    if constexpr (table_words<Source>(stream) > 4) return;
    const bool negative = static_cast<std::uint64_t>(run.sum >> 127) != 0;
    add_to_number<128, table_words<Source>(stream)>(number<stream>(group), entries,
                                                    negative ? ~run.sum + 1 : run.sum, 0, negative);
    run.sum = 0;
  }
  __device__ __forceinline__ void count(unsigned group, unsigned elements) const {
    constexpr int before = table_words<Source>(0) + (Source::streams == 2 ? table_words<Source>(1) : 0);
    atomicAdd(words + before * entries + group * copies + copy, elements);
  }
};

/// Adds the table to the sums of the grid. By all threads.
template <class Source>
__device__ __forceinline__ void merge_table(const unsigned* table, unsigned entries, unsigned copies,
                                            const group_input& in, const group_scheme& scheme,
                                            const group_memory& to) {
  constexpr int sum_words = table_words<Source>(0) + (Source::streams == 2 ? table_words<Source>(1) : 0);
  const int words = sum_words + (scheme.has_counts ? 1 : 0);
  for (unsigned group = threadIdx.x; group < in.groups; group += blockDim.x) {
    for (int word = 0; word < words; ++word) {
      const unsigned* const first = table + static_cast<unsigned>(word) * entries + group * copies;
      wide_unsigned sum = 0;
      for (unsigned copy = 0; copy < copies; ++copy) sum += first[copy];
      if (sum == 0) continue;
      wide_unsigned* const all = word < sum_words ? to.sums + std::size_t(word) * in.groups : to.counts;
      atomicAdd(all + group, sum);
    }
  }
}

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
  const table_view<Source> table{words, entries, scheme.copies,          threadIdx.x % scheme.copies,
                                 in,    to,      {window[0], window[1]}, in.terms == group_terms::magnitude};
  const std::size_t packs = (in.n + group_pack - 1) / group_pack, share = (packs + gridDim.x - 1) / gridDim.x;
  const std::size_t end = ::min(packs, (std::size_t{blockIdx.x} + 1) * share);
  unsigned current = no_group, elements_of_run = 0;
  run_sum<Source, 0> run;
  run_sum<Source, Source::streams - 1> second_run;
  const auto end_run = [&] {
    if (current == no_group) return;
    table.template end_run<0>(current, run);
    if constexpr (Source::streams == 2) table.template end_run<1>(current, second_run);
    if (scheme.has_counts) table.count(current, elements_of_run);
    elements_of_run = 0;
  };
  for (std::size_t pack = blockIdx.x * share + threadIdx.x; pack < end; pack += blockDim.x) {
    const std::size_t i = pack * group_pack;
    const auto count = static_cast<unsigned>(::min(in.n - i, std::size_t{group_pack}));
    Source of;
    of.load(in, i, count);
    unsigned group[group_pack];
    load_keys(in, to, i, count, group);
    const bool is_run = group[0] == group[1] && group[0] == group[2] && group[0] == group[3];
    const unsigned next = is_run ? group[0] : no_group;
    if (next != current) {
      end_run();
      current = next;
    }
    if (next != no_group) {
#pragma unroll
      for (int k = 0; k < group_pack; ++k) {
        table.template add_to_run<0>(of, k, next, run);
        if constexpr (Source::streams == 2) table.template add_to_run<1>(of, k, next, second_run);
      }
      elements_of_run += group_pack;
      continue;
    }
    if (is_run) continue;  // of no group
#pragma unroll
    for (int k = 0; k < group_pack; ++k) {
      if (group[k] == no_group) continue;
      table.template add<0>(of, k, group[k]);
      if constexpr (Source::streams == 2) table.template add<1>(of, k, group[k]);
      if (scheme.has_counts) table.count(group[k], 1);
    }
  }
  end_run();
  end_of_input(in.n);
  __syncthreads();
  merge_table<Source>(words, entries, scheme.copies, in, scheme, to);
}

}  // namespace
}  // namespace exactdot::cuda_engine
