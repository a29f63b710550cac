// From the sums of the first look to results, a thread for each group; and the list of the groups that stay open.
//
// A sum without flags is exact, and is finished in integers. If some of n terms had bits cut off below the window,
// each towards zero, the sum lies within n units of the window's last bit; finishes are monotone, so if both ends
// give the same bits, these are right (A. Ziv, ACM TOMS 17, 1991). A group with terms above the window, or whose
// ends differ, stays open. Infinities and NaNs decide by themselves.
#pragma once

#include <cuda/group/old_value.cuh>
#include <cuda/group/window.cuh>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Limbs of radix 2^32 that hold any sum of the first look: 5 words, or 4 limbs of up to 54 bits, and carries.
constexpr int first_look_limbs = 10;
/// Of moments, whose two windows lie apart: sums that do not fit together stay open.
constexpr int moment_limbs = 20;

__extension__ using int128 = __int128;

template <int limbs>
struct local_state {
  std::int64_t words[limbs + 4] = {};
  core::state_layout layout;

  __device__ __forceinline__ explicit local_state(int lowest) : layout{limbs, lowest, 0} {}
  [[nodiscard]] __device__ __forceinline__ core::fixed_point number() { return layout.number(words); }
};

/// Elements of a group; 0 if they were not counted.
__device__ __forceinline__ wide_unsigned count_of(const group_scheme& scheme, const group_memory& to,
                                                  unsigned group) {
  if (!scheme.has_counts) return 0;
  if (scheme.in_shared) return to.counts[group];
  return to.sums[std::size_t{group} * static_cast<unsigned>(scheme.lanes[0]) + scheme.lanes[0] - 1];
}

/// state += the sum of a stream of a group, whose window begins at `lowest`. Normalised.
template <int limbs>
__device__ inline void add_first_look(local_state<limbs>& state, const group_input& in, const group_scheme& scheme,
                                      const group_memory& to, unsigned group, int stream, int lowest) {
  if (scheme.in_shared) {
    const int words = scheme.words[stream];
    const wide_unsigned* const first = to.sums + std::size_t(stream == 0 ? 0 : scheme.words[0]) * in.groups + group;
    wide_unsigned sum = 0;
    for (int k = 0; k < words; ++k) {
      sum += first[std::size_t(k) * in.groups];
      const auto digit = static_cast<unsigned>(sum);
      sum >>= 32;
      core::add<64>(state.number(), digit, lowest + 32 * k, false);
      if (k == words - 1 && digit >> 31 != 0) core::add<64>(state.number(), 1, lowest + 32 * words, true);
    }
  } else {
    const wide_unsigned* const record =
        to.sums + (stream == 0 ? 0 : std::size_t{in.groups} * static_cast<unsigned>(scheme.lanes[0])) +
        std::size_t{group} * static_cast<unsigned>(scheme.lanes[stream]);
    for (int k = 0; k < scheme.limbs[stream]; ++k) {
      core::add(state.number(), static_cast<std::int64_t>(record[k]), lowest + k * scheme.limb_bits);
    }
  }
  core::normalise(state.number());
}

/// state ± units of 2^lowest. Normalised.
template <int limbs>
__device__ inline void add_units(local_state<limbs>& state, std::uint64_t units, int lowest, bool negative) {
  core::add<64>(state.number(), units, lowest, negative);
  core::normalise(state.number());
}

/// The sum of a stream of a group in units of the window's last bit, if it has less than 127 bits: always in
/// tables, and in records unless most terms are beyond the sample.
__device__ inline bool load_sum(const group_input& in, const group_scheme& scheme, const group_memory& to,
                                unsigned group, int128& sum) {
  if (scheme.in_shared) {
    core::uint128 total = 0;
    wide_unsigned carry = 0;
    const int words = scheme.words[0];
    for (int k = 0; k < words; ++k) {
      carry += to.sums[std::size_t(k) * in.groups + group];
      total |= static_cast<core::uint128>(static_cast<unsigned>(carry)) << 32 * k;
      carry >>= 32;
    }
    const int above = 128 - 32 * words;  // the sign of three words is bit 95
    sum = static_cast<int128>(total << above) >> above;
    return true;
  }
  const wide_unsigned* const record = to.sums + std::size_t{group} * static_cast<unsigned>(scheme.lanes[0]);
  sum = 0;
  for (int k = 0; k < scheme.limbs[0]; ++k) {
    const auto limb = static_cast<std::int64_t>(record[k]);
    const int shift = k * scheme.limb_bits;
    const std::int64_t sign = limb >> 63;
    if (shift + 64 > 126 && (limb ^ sign) >> (126 - shift) != 0) return false;
    sum += static_cast<int128>(limb) << shift;
  }
  return true;
}

/// The result of an exact sum in units of 2^lowest.
__device__ inline core::outcome finish_integer(const core::result_rule& rule, int128 sum, int lowest,
                                               wide_unsigned count) {
  if (rule.finish() == core::finish::quotient && count == 0) return {core::nan_word(rule.format())};
  if (sum == 0) return {0};
  const bool negative = sum < 0;
  const core::uint128 magnitude = negative ? 0 - static_cast<core::uint128>(sum) : static_cast<core::uint128>(sum);
  core::wide x;
  x.limb[3] = static_cast<std::uint64_t>(magnitude >> 64), x.limb[2] = static_cast<std::uint64_t>(magnitude);
  x.exponent = lowest - 128;
  core::normalise(x);
  if (rule.is_integer()) return core::to_integer(rule, negative, x);
  if (rule.finish() == core::finish::root) core::take_root(x);
  if (rule.finish() == core::finish::quotient) core::divide(x, count);
  return {core::round_wide(rule.format(), negative, x)};
}

struct group_decision {
  core::outcome found;
  bool certain;
};

/// `bound`: in units of the window's last bit, below 2^63.
__device__ inline group_decision decide_sum(const core::result_rule& rule, int128 sum, int lowest,
                                            std::uint64_t bound, wide_unsigned count) {
  if (bound == 0) return {finish_integer(rule, sum, lowest, count), true};
  if ((sum < 0 ? -sum : sum) >> 126 != 0) return {{0}, false};  // no room for the bound
  const bool is_root = rule.finish() == core::finish::root;     // of squares, which are not negative
  const core::outcome low = finish_integer(rule, is_root ? sum : sum - bound, lowest, count);
  const core::outcome high = finish_integer(rule, sum + bound, lowest, count);
  return {low, low.word == high.word && !low.overflows && !high.overflows};
}

/// The variance grows with the sum of squares, and falls with the magnitude of the sum.
__device__ inline group_decision decide_moments_of(const group_results& asked, local_state<moment_limbs>& sum,
                                                   local_state<moment_limbs>& squares, const int (&lowest)[2],
                                                   const std::uint64_t (&bound)[2], wide_unsigned count) {
  std::int64_t scratch[2 * moment_limbs + 4];
  const auto finish = [&](local_state<moment_limbs>& x, local_state<moment_limbs>& x2) {
    return core::finish_moments(asked.rule, x.layout, x.words, x2.words, count, asked.ddof, scratch);
  };
  if (bound[0] == 0 && bound[1] == 0) return {finish(sum, squares), true};
  // The numerator of the lower end may be negative, which a finish takes for a number above 2^500 / n^2, so above
  // the upper end; windows that are too low for that stay open, and so do infinite results.
  constexpr int lowest_base = -400;
  if (bound[0] != 0 || sum.layout.lowest_exponent < lowest_base) return {{0}, false};
  local_state<moment_limbs> upper = squares;
  add_units(upper, bound[1], lowest[1], false);
  // the terms' bits are cut off, so the sum of squares itself is the lower end; its variance may be negative
  const core::outcome high = finish(sum, upper), low = finish(sum, squares);
  const std::uint64_t infinite = core::infinity_word(asked.rule.format(), false);
  return {low, low.word == high.word && low.word != infinite};
}

__device__ __forceinline__ void store_group(const group_results& out, unsigned group, const core::outcome& found) {
  destination to;
  to.value = out.at(group), to.rule = out.rule;
  if (found.overflows) atomicMax(out.status, 1U);
  store_anywhere(to, found.overflows ? 0 : found.word);
}

/// The sum of a group with what is there, of `units` terms. Bits that are cut off make one unit more.
__device__ inline group_decision decide_added(const core::result_rule& rule, const core::exact_term& old,
                                              int128 sum, int lowest, std::uint64_t bound) {
  bool drops = false;
  if (!add_in_units(old, lowest, sum, drops)) return {{0}, false};
  return decide_sum(rule, sum, lowest, bound + (drops ? 1 : 0), 1);
}

/// The result of a group by the first look.
__device__ inline group_decision decide_group(const group_input& in, const group_scheme& scheme,
                                              const group_results& out, const group_memory& to, unsigned group) {
  const unsigned flags = to.flags[group];
  const wide_unsigned count = count_of(scheme, to, group);
  if (out.adds && count == 0) return {{load_result(out.rule, out.at(group))}, true};
  const core::exact_term old = out.adds ? old_term(out.rule, out.at(group)) : core::exact_term{};
  const bool is_infinite = old.kind == core::kind::infinite;
  const bool nan = (flags & group_flag::nan) != 0 || old.kind == core::kind::nan;
  const bool plus = (flags & group_flag::plus) != 0 || (is_infinite && !old.negative);
  const bool minus = (flags & group_flag::minus) != 0 || (is_infinite && old.negative);
  if (nan || plus || minus) {
    return {{core::special_word(out.rule.format(), nan || in.terms == group_terms::moments, plus, minus)}, true};
  }
  constexpr unsigned beyond = group_flag::beyond | group_flag::beyond << group_flag::second_stream;
  if ((flags & beyond) != 0) return {{0}, false};
  const int lowest[2] = {window_of(scheme, *to.status, 0).lowest, window_of(scheme, *to.status, 1).lowest};
  const bool drops = (flags & group_flag::dropped) != 0;
  const bool drops_second = (flags & group_flag::dropped << group_flag::second_stream) != 0;
  const std::uint64_t units = scheme.has_counts ? count : in.n;
  if (in.terms != group_terms::moments) {
    int128 sum = 0;
    if (!load_sum(in, scheme, to, group, sum)) return {{0}, false};
    // squares do not cancel, and one that vanishes below the window has set the flag
    const bool is_nothing = in.terms == group_terms::square && sum == 0;
    const bool is_bounded = drops || (out.always_drops[0] && !is_nothing);
    if (out.adds) return decide_added(out.rule, old, sum, lowest[0], is_bounded ? units : 0);
    return decide_sum(out.rule, sum, lowest[0], is_bounded ? units : 0, count);
  }
  const int both = ::min(lowest[0], lowest[1]);
  if (::max(lowest[0], lowest[1]) - both > 32 * (moment_limbs - first_look_limbs)) return {{0}, false};
  local_state<moment_limbs> sum(both), squares(both);
  add_first_look(sum, in, scheme, to, group, 0, lowest[0]);
  add_first_look(squares, in, scheme, to, group, 1, lowest[1]);
  const std::uint64_t bound[2] = {drops ? units : 0, drops_second || out.always_drops[1] ? units : 0};
  return decide_moments_of(out, sum, squares, lowest, bound, count);
}

/// Stores the results that are certain, and lists the groups whose are not.
__global__ void __launch_bounds__(128)
    group_finish_kernel(const __grid_constant__ group_input in, const __grid_constant__ group_scheme scheme,
                        const __grid_constant__ group_results out, const __grid_constant__ group_memory to) {
  begin_kernel(0);
  const wide_unsigned bad_key = to.status->bad_key;
  if (bad_key != 0 && blockIdx.x == 0 && threadIdx.x == 0) atomicMax(to.first_bad_key, bad_key);
  if (bad_key != 0 && out.only_if_all_right) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t group = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; group < in.groups; group += stride) {
    const auto index = static_cast<unsigned>(group);
    const group_decision found = decide_group(in, scheme, out, to, index);
    unsigned slot = no_group;
    if (found.certain) {
      store_group(out, index, found.found);
    } else {
      slot = atomicAdd(&to.status->open, 1U);
      to.open[slot] = index;
    }
    to.slots[group] = slot;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
