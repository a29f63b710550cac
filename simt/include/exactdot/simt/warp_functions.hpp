// CUDA's warp functions on the simulator: shuffles, votes, matches and reductions.
//
// Each is one warp collective: every lane contributes 64 bits and receives the values of the lanes that arrived.
#pragma once

#include <exactdot/simt/kernel.hpp>

namespace exactdot::simt::detail {

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
  return to;
}

/// The types of CUDA's shuffles and matches.
template <class T>
inline constexpr bool shuffle_type =
    one_of<T, int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;

/// Smaller integers and bool, which C++ promotes to int.
template <class T>
inline constexpr bool promoted_type = std::is_integral_v<T> && sizeof(T) < sizeof(int);

/// Report a source lane that did not arrive, and a width that CUDA does not define.
void report_absent_lane(std::uint32_t mask, std::uint32_t source, const void* caller);
void report_width(int width, const void* caller);

/// Returns the value of lane `source`; the caller's value if that lane is not in [first, end) or did not arrive.
template <class T, std::enable_if_t<shuffle_type<T>, int> = 0>
[[gnu::always_inline]] inline T shuffle(std::uint32_t mask, T value, int source, int first, int end) {
  std::uint64_t values[32];
  const std::uint32_t arrived = warp_collective(collective_kind::shuffle, mask, bits_as<std::uint64_t>(value),
                                                values, __builtin_return_address(0));
  if (source < first || source >= end) return value;
  if ((arrived >> source & 1U) != 0) return bits_as<T>(values[source]);
  report_absent_lane(mask, static_cast<std::uint32_t>(source), __builtin_return_address(0));
  return value;
}

/// The caller's lane, and the first lane of its segment of `width` lanes.
struct segment {
  int width, caller, first;
  [[gnu::always_inline]] explicit segment(int wanted)
      : width(valid(wanted)), caller(static_cast<int>(lane())), first(caller / width * width) {}

 private:
  [[gnu::always_inline]] static int valid(int wanted) {
    if (wanted >= 1 && wanted <= 32 && (wanted & (wanted - 1)) == 0) return wanted;
    report_width(wanted, __builtin_return_address(0));
    return 32;
  }
};

template <class T, class Combine>
[[gnu::always_inline]] inline T reduce(std::uint32_t mask, T value, Combine combine) {
  std::uint64_t values[32];
  const std::uint32_t arrived = warp_collective(collective_kind::reduction, mask, bits_as<std::uint64_t>(value),
                                                values, __builtin_return_address(0));
  T result = value;
  for (unsigned i = 0, first = 1; i < 32; ++i) {
    if ((arrived >> i & 1U) == 0) continue;
    result = first != 0 ? bits_as<T>(values[i]) : combine(result, bits_as<T>(values[i]));
    first = 0;
  }
  return result;
}

[[gnu::always_inline]] inline unsigned ballot(std::uint32_t mask, int predicate, std::uint32_t& arrived) {
  std::uint64_t values[32];
  arrived =
      warp_collective(collective_kind::vote, mask, predicate != 0 ? 1 : 0, values, __builtin_return_address(0));
  unsigned set = 0;
  for (unsigned i = 0; i < 32; ++i) set |= (arrived >> i & 1U) != 0 && values[i] != 0 ? 1U << i : 0U;
  return set;
}

/// Returns the lanes whose value has the same bits as the caller's.
template <class T, std::enable_if_t<shuffle_type<T>, int> = 0>
[[gnu::always_inline]] inline unsigned match(std::uint32_t mask, T value, std::uint32_t& arrived) {
  std::uint64_t values[32];
  const auto bits = bits_as<std::uint64_t>(value);
  arrived = warp_collective(collective_kind::match, mask, bits, values, __builtin_return_address(0));
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= (arrived >> i & 1U) != 0 && values[i] == bits ? 1U << i : 0U;
  return same;
}

}  // namespace exactdot::simt::detail

// Not inlined, so that the return address is in the kernel.
template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const exactdot::simt::detail::segment lanes(width);
  const int source_lane = lanes.first + (source & (lanes.width - 1));
  return exactdot::simt::detail::shuffle(mask, value, source_lane, lanes.first, lanes.first + lanes.width);
}
template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const exactdot::simt::detail::segment lanes(width);
  return exactdot::simt::detail::shuffle(mask, value, lanes.caller - static_cast<int>(delta), lanes.first,
                                         lanes.first + lanes.width);
}
template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const exactdot::simt::detail::segment lanes(width);
  return exactdot::simt::detail::shuffle(mask, value, lanes.caller + static_cast<int>(delta), lanes.first,
                                         lanes.first + lanes.width);
}
/// Reads lanes of earlier segments too, but not of later ones (CUDA C++ Programming Guide, "Warp Shuffle
/// Functions").
template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const exactdot::simt::detail::segment lanes(width);
  return exactdot::simt::detail::shuffle(mask, value, lanes.caller ^ lane_mask, 0, lanes.first + lanes.width);
}

template <class T, std::enable_if_t<exactdot::simt::detail::promoted_type<T>, int> = 0>
[[gnu::always_inline]] inline int __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return __shfl_sync(mask, static_cast<int>(value), source, width);
}
template <class T, std::enable_if_t<exactdot::simt::detail::promoted_type<T>, int> = 0>
[[gnu::always_inline]] inline int __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(mask, static_cast<int>(value), delta, width);
}
template <class T, std::enable_if_t<exactdot::simt::detail::promoted_type<T>, int> = 0>
[[gnu::always_inline]] inline int __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(mask, static_cast<int>(value), delta, width);
}
template <class T, std::enable_if_t<exactdot::simt::detail::promoted_type<T>, int> = 0>
[[gnu::always_inline]] inline int __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(mask, static_cast<int>(value), lane_mask, width);
}

EXACTDOT_SIMT_CALL inline unsigned __ballot_sync(unsigned mask, int predicate) {
  std::uint32_t arrived = 0;
  return exactdot::simt::detail::ballot(mask, predicate, arrived);
}
EXACTDOT_SIMT_CALL inline int __any_sync(unsigned mask, int predicate) {
  std::uint32_t arrived = 0;
  return exactdot::simt::detail::ballot(mask, predicate, arrived) != 0;
}
EXACTDOT_SIMT_CALL inline int __all_sync(unsigned mask, int predicate) {
  std::uint32_t arrived = 0;
  return exactdot::simt::detail::ballot(mask, predicate, arrived) == arrived;
}
// Without a mask, of all lanes: CUDA has them below compute capability 7.0. Templates, so that a user's own win.
template <class T>
[[gnu::always_inline]] inline auto __shfl(T value, int source, int width = 32) {
  return __shfl_sync(0xffffffffU, value, source, width);
}
template <class T>
[[gnu::always_inline]] inline auto __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(0xffffffffU, value, delta, width);
}
template <class T>
[[gnu::always_inline]] inline auto __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(0xffffffffU, value, delta, width);
}
template <class T>
[[gnu::always_inline]] inline auto __shfl_xor(T value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(0xffffffffU, value, lane_mask, width);
}
template <class T>
[[gnu::always_inline]] inline unsigned __ballot(T predicate) {
  return __ballot_sync(0xffffffffU, static_cast<int>(predicate));
}
template <class T>
[[gnu::always_inline]] inline int __any(T predicate) {
  return __any_sync(0xffffffffU, static_cast<int>(predicate));
}
template <class T>
[[gnu::always_inline]] inline int __all(T predicate) {
  return __all_sync(0xffffffffU, static_cast<int>(predicate));
}

template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL unsigned __match_any_sync(unsigned mask, T value) {
  std::uint32_t arrived = 0;
  return exactdot::simt::detail::match(mask, value, arrived);
}
/// Returns the mask if all its lanes have the same value, else 0.
template <class T, std::enable_if_t<exactdot::simt::detail::shuffle_type<T>, int> = 0>
EXACTDOT_SIMT_CALL unsigned __match_all_sync(unsigned mask, T value, int* all_same) {
  std::uint32_t arrived = 0;
  *all_same = exactdot::simt::detail::match(mask, value, arrived) == arrived;
  return *all_same != 0 ? arrived : 0U;
}
EXACTDOT_SIMT_CALL inline unsigned __activemask() {
  return exactdot::simt::detail::active_mask(__builtin_return_address(0));
}
void __syncwarp(unsigned mask = 0xffffffffU);

template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
EXACTDOT_SIMT_CALL T __reduce_add_sync(unsigned mask, T value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](T x, T y) __attribute__((always_inline)) {
        return static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
      });
}
template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
EXACTDOT_SIMT_CALL T __reduce_min_sync(unsigned mask, T value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](T x, T y) __attribute__((always_inline)) { return y < x ? y : x; });
}
template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
EXACTDOT_SIMT_CALL T __reduce_max_sync(unsigned mask, T value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](T x, T y) __attribute__((always_inline)) { return x < y ? y : x; });
}
EXACTDOT_SIMT_CALL inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](unsigned x, unsigned y) __attribute__((always_inline)) { return x & y; });
}
EXACTDOT_SIMT_CALL inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](unsigned x, unsigned y) __attribute__((always_inline)) { return x | y; });
}
EXACTDOT_SIMT_CALL inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](unsigned x, unsigned y) __attribute__((always_inline)) { return x ^ y; });
}
