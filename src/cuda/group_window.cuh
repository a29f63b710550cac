// The window of a group's integers: where it lies, and which bits of a term fall into it.
//
// Its width is the host's choice: room for the sum of n largest terms, so that nothing wraps. Its place follows
// from the largest of some thousand terms, spread evenly over the input; `sample_margin` bits above it are kept
// free for larger ones. A wrong guess costs time: terms above the window and bits below it are noted in their
// group's flags.
#pragma once

#include <cuda/group_source.cuh>

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

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
