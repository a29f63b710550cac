// First look at more groups than a table holds: a record in global memory for each.
//
// The window is cut into limbs of limb_bits, each the low part of a 64-bit word: the rest is room for the sum of n
// of them, so no carry is passed on. An atomic operation costs the L2 cache as much as the 32-byte sector that it
// changes, not as much as a word: so as many lanes as a record has words add one element together, each its word,
// and a record of four words costs what a single float does. One word may count the elements; records that leave a word
// free have it in any case, so that one kernel serves calls with and without counts. Neighbouring elements of one group,
// as in sorted keys, are added in registers first.
// Cost: one sector an element and stream, and four shuffles for each lane of a record.
#pragma once

#include <cuda/group/frequencies.cuh>
#include <cuda/group/window.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class Magnitude>
__device__ __forceinline__ Magnitude shuffled(Magnitude x, int source) {
  if constexpr (sizeof(Magnitude) == 16) {
    const auto high = __shfl_sync(all_lanes, static_cast<std::uint64_t>(x >> 64), source);
    return static_cast<core::uint128>(high) << 64 | __shfl_sync(all_lanes, static_cast<std::uint64_t>(x), source);
  } else {
    return __shfl_sync(all_lanes, x, source);
  }
}

/// Limb `index` of magnitude · 2^offset.
template <class Magnitude>
__device__ __forceinline__ std::uint64_t limb_of(Magnitude magnitude, int offset, int index, int limb_bits) {
  constexpr int width = 8 * sizeof(Magnitude);
  const std::uint64_t mask = (std::uint64_t{1} << limb_bits) - 1;
  const int right = index * limb_bits - offset;
  if (right >= width || right <= -limb_bits) return 0;
  if (right >= 0) return static_cast<std::uint64_t>(magnitude >> right) & mask;
  return static_cast<std::uint64_t>(magnitude) << -right & mask;
}

/// Limbs of a record of the stream: a float's term has 24 bits, so two leave room for most exponents. Squares of a
/// variance: see table_words.
template <class Source>
EXACTDOT_CORE int record_limbs(int stream) {
  if (stream == 1 && Source::max_bits(1) > 64) return 4;
  return Source::max_bits(stream) <= 24 ? 2 : 3;
}
/// Words of a record; with a word for counts, which are of the first stream, the last one counts if scheme.has_counts.
template <class Source, bool counts>
EXACTDOT_CORE int record_words(int stream) {
  return record_limbs<Source>(stream) + (counts && stream == 0 ? 1 : 0) <= 2 ? 2 : 4;
}
/// Whether records have a word for counts in every call: where it costs none, and for variances, which need it.
template <class Source>
constexpr bool always_has_count_word =
    Source::streams == 2 || record_words<Source, true>(0) == record_words<Source, false>(0);

/// Adds each lane's term to its group's record. By all lanes of a warp.
template <int stream, bool counts, class Source>
__device__ __forceinline__ void add_to_records(const Source& of, int k, unsigned group, const group_input& in,
                                               const group_window& window, const group_scheme& scheme,
                                               const group_memory& to) {
  constexpr int words = record_words<Source, counts>(stream), limbs = record_limbs<Source>(stream);
  auto term = of.template addend<stream>(in, k);
  int offset = 0;
  constexpr bool drops = Source::always_drops(stream);
  if (group == no_group || !place<stream, drops>(term, window, to.flags + group, offset)) term.magnitude = 0;
  const int packed = offset * 2 + (term.negative ? 1 : 0);
  const auto lane = static_cast<int>(threadIdx.x % 32), index = lane % words;
  wide_unsigned* const records =
      to.sums + (stream == 0 ? 0 : std::size_t{in.groups} * record_words<Source, counts>(0));
#pragma unroll
  for (int turn = 0; turn < words; ++turn) {
    const int source = (lane - index) | turn;
    const unsigned of_group = __shfl_sync(all_lanes, group, source);
    const auto magnitude = shuffled(term.magnitude, source);
    const int shape = __shfl_sync(all_lanes, packed, source);
    if (of_group == no_group) continue;
    std::uint64_t word = index < limbs ? limb_of(magnitude, shape >> 1, index, scheme.limb_bits) : 0;
    if ((shape & 1) != 0) word = 0 - word;
    if (counts && stream == 0 && index == words - 1 && scheme.has_counts) word = 1;
    if (word != 0) {
      atomicAdd(records + std::size_t{of_group} * words + static_cast<unsigned>(index),
                static_cast<wide_unsigned>(word));
    }
  }
}

/// The limbs of a lane's pack, whose elements belong to one group, and their number.
template <int words>
struct pack_limbs {
  std::int64_t word[words] = {};
};

template <int stream, bool counts, class Source>
__device__ __forceinline__ auto limbs_of_pack(const Source& of, unsigned group, const group_input& in,
                                              const group_window& window, const group_scheme& scheme,
                                              const group_memory& to) {
  constexpr int words = record_words<Source, counts>(stream), limbs = record_limbs<Source>(stream);
  pack_limbs<words> sum;
  if (group == no_group) return sum;
  for (int k = 0; k < group_pack; ++k) {
    auto term = of.template addend<stream>(in, k);
    int offset = 0;
    constexpr bool drops = Source::always_drops(stream);
    if (!place<stream, drops>(term, window, to.flags + group, offset)) continue;
#pragma unroll
    for (int j = 0; j < limbs; ++j) {
      const auto limb = static_cast<std::int64_t>(limb_of(term.magnitude, offset, j, scheme.limb_bits));
      sum.word[j] += term.negative ? -limb : limb;
    }
  }
  if (counts && stream == 0 && scheme.has_counts) sum.word[words - 1] = group_pack;
  return sum;
}

/// Adds packs to their groups' records; if all of a warp belong to one group, as one. By all lanes of a warp.
template <int stream, bool counts, class Source>
__device__ __forceinline__ void add_packs_to_records(const Source& of, unsigned group, bool is_one_group,
                                                     const group_input& in, const group_window& window,
                                                     const group_scheme& scheme, const group_memory& to) {
  constexpr int words = record_words<Source, counts>(stream);
  auto sum = limbs_of_pack<stream, counts>(of, group, in, window, scheme, to);
  const auto lane = static_cast<int>(threadIdx.x % 32), index = lane % words;
  wide_unsigned* const records =
      to.sums + (stream == 0 ? 0 : std::size_t{in.groups} * record_words<Source, counts>(0));
  const auto add = [&](unsigned to_group, std::int64_t word) {
    if (to_group == no_group || word == 0) return;
    atomicAdd(records + std::size_t{to_group} * words + static_cast<unsigned>(index),
              static_cast<wide_unsigned>(word));
  };
  if (is_one_group) {
    std::int64_t mine = 0;
#pragma unroll
    for (int j = 0; j < words; ++j) {
      for (int step = 16; step != 0; step /= 2) sum.word[j] += __shfl_xor_sync(all_lanes, sum.word[j], step);
      if (j == index) mine = sum.word[j];
    }
    if (lane < words) add(group, mine);
    return;
  }
#pragma unroll
  for (int turn = 0; turn < words; ++turn) {
    const int source = (lane - index) | turn;
    std::int64_t mine = 0;
#pragma unroll
    for (int j = 0; j < words; ++j) {
      const std::int64_t word = __shfl_sync(all_lanes, sum.word[j], source);
      if (j == index) mine = word;
    }
    add(__shfl_sync(all_lanes, group, source), mine);
  }
}

/// Adds the packs of a warp to the records of their groups. By all lanes.
template <bool counts, class Source>
__device__ __forceinline__ void add_warp_to_records(const Source& of, const unsigned (&group)[group_pack],
                                                    const group_input& in, const group_window (&window)[2],
                                                    const group_scheme& scheme, const group_memory& to) {
  if (__all_sync(all_lanes, is_one_group(group))) {  // as in sorted keys
    const bool is_one = __all_sync(all_lanes, group[0] == __shfl_sync(all_lanes, group[0], 0));
    if (is_one && group[0] == no_group) return;
    add_packs_to_records<0, counts>(of, group[0], is_one, in, window[0], scheme, to);
    if constexpr (Source::streams == 2) {
      add_packs_to_records<1, counts>(of, group[0], is_one, in, window[1], scheme, to);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < group_pack; ++k) {
    add_to_records<0, counts>(of, k, group[k], in, window[0], scheme, to);
    if constexpr (Source::streams == 2) {
      add_to_records<1, counts>(of, k, group[k], in, window[1], scheme, to);
    }
  }
}

template <class Source, bool counts>
__global__ void __launch_bounds__(256)
    group_scatter_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                         const __grid_constant__ group_memory to) {
  begin_kernel(in.n);
  if (has_skewed_keys(to)) return;
  group_window window[2];
  for (int stream = 0; stream < Source::streams; ++stream) {
    window[stream] = window_of(scheme, *to.status, stream);
  }
  const std::size_t packs = (in.n + group_pack - 1) / group_pack, stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t first = thread - thread % 32; first < packs; first += stride) {  // of the warp
    const std::size_t i = (first + thread % 32) * group_pack;
    const auto count = i < in.n ? static_cast<unsigned>(::min(in.n - i, std::size_t{group_pack})) : 0;
    Source of;
    of.load(in, i, count);
    unsigned group[group_pack];
    load_keys(in, to, i, count, group);
    add_warp_to_records<counts>(of, group, in, window, scheme, to);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
