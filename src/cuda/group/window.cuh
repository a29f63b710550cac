// The window of a group's integers: where it lies, and which bits of a term fall into it.
//
// Its width is the host's choice: room for the sum of n largest terms, so that nothing wraps. Its place follows
// from the largest of some thousand terms, spread evenly over the input; `sample_margin` bits above it are kept
// free for larger ones. A wrong guess costs time: terms above the window and bits below it are noted in their
// group's flags.
#pragma once

#include <cuda/group/source.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

constexpr unsigned window_threads = 256, sampled_terms = 64 * window_threads;
constexpr int sample_margin = 10;  // bits

/// Of one stream.
struct group_window {
  int lowest;  ///< exponent of the last bit
  int bits;
};

/// Not inlined: rare.
[[gnu::noinline]] __device__ void set_flag(unsigned* flags, unsigned flag) {
  const unsigned found = __nv_atomic_load_n(flags, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  if ((found & flag) == 0) atomicOr(flags, flag);
}

/// The term in units of the window's last bit is magnitude · 2^offset, offset >= 0; bits below the window are cut
/// off. False if nothing is to be added: for 0, and for terms that are noted in the group's flags.
template <int stream, bool always_drops, class Magnitude>
__device__ __forceinline__ bool place(group_addend<Magnitude>& term, const group_window& window, unsigned* flags,
                                      int& offset) {
  constexpr unsigned shift = stream * group_flag::second_stream;
  if (term.special != 0) set_flag(flags, term.special);
  if (term.magnitude == 0) return false;
  offset = term.exponent - window.lowest;
  if (offset + term.bits > window.bits) {
    set_flag(flags, group_flag::beyond << shift);
    return false;
  }
  if (offset >= 0) return true;
  constexpr int width = 8 * sizeof(Magnitude);
  const int below = -offset;
  const Magnitude kept = below < width ? term.magnitude >> below : Magnitude{0};
  const bool drops = below >= width || kept << below != term.magnitude;
  if (drops && (!always_drops || kept == 0)) set_flag(flags, group_flag::dropped << shift);
  term.magnitude = kept;
  offset = 0;
  return kept != 0;
}

/// Finds the exponent above the largest of the sampled terms: one for each thread, so that their loads are on their
/// way together.
[[maybe_unused]] __global__ void __launch_bounds__(window_threads)
    group_window_kernel(const __grid_constant__ group_input in, group_status* status) {
  begin_kernel(0);
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int stream = 0; stream < streams_of(in.terms); ++stream) {
    unsigned above = 0;
    if (k < in.n) {
      const std::size_t i = in.n <= sampled_terms ? k : in.n / sampled_terms * k;
      const core::exact_term term = any_addend(in, stream, i);
      const bool counts = term.kind == core::kind::finite && term.magnitude != 0;
      if (counts)
        above = static_cast<unsigned>(group_status::no_exponent + term.exponent + bit_length(term.magnitude));
    }
    above = __reduce_max_sync(all_lanes, above);
    if (threadIdx.x % 32 == 0 && above != 0) atomicMax(&status->above[stream], above);
  }
}

/// The window of a stream. Of zeros, one that suits usual numbers.
__device__ __forceinline__ group_window window_of(const group_scheme& scheme, const group_status& status,
                                                  int stream) {
  constexpr int of_zeros = 8;
  const unsigned found = status.above[stream];
  const int above = found == 0 ? of_zeros : static_cast<int>(found) - group_status::no_exponent;
  return {::max(above + sample_margin - scheme.bits[stream], scheme.lowest[stream]), scheme.bits[stream]};
}

__global__ void __launch_bounds__(256) group_clear_kernel(wide_unsigned* words, std::size_t count) {
  begin_kernel(0);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) words[i] = 0;
}

// Sums of groups as numbers of 32-bit words in two's complement, in shared memory.
//
// 32-bit atomics of shared memory are native, so a term is added word by word: the value that an atomic returns
// tells whether the word wrapped, and the carry goes to the next one. Carries of concurrent threads may overtake
// each other; modulo 2^(32·words) their sum is the same. Cost: 2 to 4 shared atomics a term.

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

/// Adds ±magnitude · 2^offset, 0 < magnitude < 2^bits <= 2^53, to a number of `words` words that are `distance`
/// apart, in two's complement: a negative term is 2^(32·touched) - |term| in the words that it touches, and -1 in
/// the next one. That meets a carry if the number stays on its side of zero, so seldom is anything left to pass on.
/// All words that the term touches exist: see max_quick_bits.
template <int bits, int words>
__device__ __forceinline__ void add_quickly(unsigned* number, unsigned distance, std::uint64_t magnitude,
                                            int offset, bool negative) {
  constexpr int touched = 1 + (bits + 30) / 32;
  const auto low = static_cast<unsigned>(magnitude), high = static_cast<unsigned>(magnitude >> 32);
  const auto shift = static_cast<unsigned>(offset & 31);
  std::uint64_t first = wide_unsigned{__funnelshift_l(low, high, shift)} << 32 | low << shift;
  unsigned last = touched == 3 ? __funnelshift_l(high, 0, shift) : 0;
  if (negative) {
    first = 0 - first;
    last = ~last + (first == 0 ? 1U : 0U);
  }
  int at = offset >> 5;
  unsigned* word = number + static_cast<unsigned>(at) * distance;
  unsigned digit = static_cast<unsigned>(first), wraps = 0, old = atomicAdd(word, digit);
  // out of the last word: the word wraps, or the digit did; never both
  const auto carry = [&] { return wraps + (old > ~digit ? 1U : 0U); };
#pragma unroll
  for (int j = 1; j < touched; ++j) {
    const std::uint64_t sum = std::uint64_t{j == 1 ? static_cast<unsigned>(first >> 32) : last} + carry();
    word += distance, ++at;
    digit = static_cast<unsigned>(sum), wraps = static_cast<unsigned>(sum >> 32);
    old = atomicAdd(word, digit);
  }
  int rest = static_cast<int>(carry()) - (negative ? 1 : 0);
  while (rest != 0 && ++at < words) {
    word += distance;
    old = atomicAdd(word, static_cast<unsigned>(rest));
    if (old != (rest < 0 ? 0U : ~0U)) return;
  }
}

/// The widest window of so many words whose terms of so many bits add_quickly can add.
EXACTDOT_CORE int max_quick_bits(int bits, int words) {
  const int touched = 1 + (bits + 30) / 32;
  return 32 * (words - touched + 1) - 1 + bits;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
