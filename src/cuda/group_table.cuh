// First look at groups with tables in shared memory: one for each block.
//
// A sum is a number of `words` 32-bit words in two's complement. 32-bit atomics of shared memory are native, so a
// term is added word by word: the value that an atomic returns tells whether the word wrapped, and the carry goes
// to the next one. Carries of concurrent threads may overtake each other; modulo 2^(32·words) their sum is the
// same. The window has room for n terms, so the sum is that of the exact integers.
//
// Four neighbouring elements of one group, as in sorted keys, are added in registers, as long as the group does not
// change, if that is so in many lanes of a warp. At its end a block adds its table to global memory: word by word
// in 64 bits, without carries. Cost: 2 to 4 shared atomics a term.
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

/// ±magnitude · 2^offset, 0 < magnitude < 2^bits <= 2^53, on its way to a number of `words` words that are
/// `distance` apart, in two's complement: a negative term is 2^(32·touched) - |term| in the words that it touches,
/// and -1 in the next one. That meets a carry if the number stays on its side of zero, so seldom is anything left
/// to pass on. All words that the term touches exist: see max_quick_bits. In steps, so that the atomics of several
/// terms can be on their way together: start(), then next() `touched` - 1 times, then finish().
template <int bits, int words>
class quick_addition {
 public:
  static constexpr int touched = 1 + (bits + 30) / 32;

  quick_addition() = default;
  __device__ __forceinline__ quick_addition(unsigned* number, unsigned distance, std::uint64_t magnitude,
                                            int offset, bool negative) {
    const auto low = static_cast<unsigned>(magnitude), high = static_cast<unsigned>(magnitude >> 32);
    const auto shift = static_cast<unsigned>(offset & 31);
    std::uint64_t first = wide_unsigned{__funnelshift_l(low, high, shift)} << 32 | low << shift;
    unsigned last = touched == 3 ? __funnelshift_l(high, 0, shift) : 0;
    if (negative) {
      first = 0 - first;
      last = ~last + (first == 0 ? 1U : 0U);
    }
    digit_ = static_cast<unsigned>(first), second_ = static_cast<unsigned>(first >> 32), third_ = last;
    at_ = offset >> 5;
    word_ = number + static_cast<unsigned>(at_) * distance;
    borrows_ = negative;
  }
  __device__ __forceinline__ void start() { old_ = atomicAdd(word_, digit_); }
  __device__ __forceinline__ void next(unsigned distance) {
    const std::uint64_t sum = std::uint64_t{second_} + carry();
    word_ += distance, ++at_;
    digit_ = static_cast<unsigned>(sum), wraps_ = static_cast<unsigned>(sum >> 32), second_ = third_;
    old_ = atomicAdd(word_, digit_);
  }
  __device__ __forceinline__ void finish(unsigned distance) {
    int rest = static_cast<int>(carry()) - (borrows_ ? 1 : 0);
    while (rest != 0 && ++at_ < words) {
      word_ += distance;
      const unsigned old = atomicAdd(word_, static_cast<unsigned>(rest));
      if (old != (rest < 0 ? 0U : ~0U)) return;
    }
  }

 private:
  /// Out of the last word. The word wraps, or the digit did; never both.
  [[nodiscard]] __device__ __forceinline__ unsigned carry() const { return wraps_ + (old_ > ~digit_ ? 1U : 0U); }

  unsigned* word_;
  unsigned digit_, second_, third_, old_, wraps_ = 0;
  int at_;
  bool borrows_;
};

template <int bits, int words>
__device__ __forceinline__ void add_quickly(unsigned* number, unsigned distance, std::uint64_t magnitude,
                                            int offset, bool negative) {
  quick_addition<bits, words> addition(number, distance, magnitude, offset, negative);
  addition.start();
#pragma unroll
  for (int j = 1; j < addition.touched; ++j) addition.next(distance);
  addition.finish(distance);
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
  /// Adds terms first to first + count - 1 of a pack together, each to its group's copy. False, without any effect,
  /// if one of them has to take another way.
  template <int stream, int count>
  [[nodiscard]] __device__ __forceinline__ bool add_together(const Source& of, int first,
                                                             const unsigned (&group)[group_pack], unsigned copies,
                                                             unsigned copy) const {
    constexpr int bits = Source::max_bits(stream);
    quick_addition<bits, table_words<Source>(stream)> addition[count];
    bool all = true;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const quick_term term = of.template quick<stream>(is_magnitude, first + k);
      const int offset = term.exponent - window[stream].lowest;
      const unsigned to_group = group[first + k];
      all = all && to_group != no_group && term.is_quick && fits<bits>(offset, window[stream]);
      addition[k] = {number<stream>(to_group * copies + copy), entries, term.magnitude, offset, term.negative};
    }
    if (!all) return false;
#pragma unroll
    for (int k = 0; k < count; ++k) addition[k].start();
#pragma unroll
    for (int j = 1; j < addition[0].touched; ++j) {
#pragma unroll
      for (int k = 0; k < count; ++k) addition[k].next(entries);
    }
#pragma unroll
    for (int k = 0; k < count; ++k) addition[k].finish(entries);
    return true;
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

/// Terms of a pack whose atomics are on their way together, if they have a short way. Longer ones leave fewer
/// registers.
template <class Source>
inline constexpr int usual_together = Source::max_bits(0) <= 24 ? 4 : 2;

/// `loads_ahead`: a thread loads its next pack before it adds one. Bits are the same. (No structure of both: nvcc
/// 13.0 takes none as a parameter of a kernel's template.)
template <class Source, bool loads_ahead = true, int terms_together = usual_together<Source>>
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
  const table_view<Source> table{
      words, entries, in, to, {window[0], window[1]}, in.terms == group_terms::magnitude};
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
  if (loads_ahead && first < share.end) next.load(in, first + lane, share.end);
  for (; first < share.end; first += blockDim.x) {
    keyed_pack<Source> pack = next;
    if constexpr (loads_ahead) {
      if (first + blockDim.x < share.end) next.load(in, first + blockDim.x + lane, share.end);
    } else {
      pack.load(in, first + lane, share.end);
    }
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
    constexpr int together = Source::streams == 1 && Source::has_quick_terms(0) ? terms_together : 1;
#pragma unroll
    for (int first_of_terms = 0; first_of_terms < group_pack; first_of_terms += together) {
      bool is_added = false;
      if constexpr (together > 1) {
        is_added = table.template add_together<0, together>(pack.of, first_of_terms, group, copies, copy);
      }
#pragma unroll
      for (int k = first_of_terms; k < first_of_terms + together; ++k) {
        if (group[k] == no_group) continue;
        const unsigned entry = group[k] * copies + copy;
        if (!is_added) table.template add<0>(pack.of, k, group[k], entry);
        if constexpr (Source::streams == 2) table.template add<1>(pack.of, k, group[k], entry);
        if (scheme.has_counts) table.count(entry, 1);
      }
    }
  }
  end_run();
  end_of_input(in.n);
  __syncthreads();
  merge_table<Source>(words, entries, scheme.copies, in, scheme, to);
}

}  // namespace
}  // namespace exactdot::cuda_engine
