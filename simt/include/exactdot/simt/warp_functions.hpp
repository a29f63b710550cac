// CUDA's warp functions on the simulator: shuffles, votes, matches and reductions, each an exchange of 64 bits a
// lane.
#pragma once

#include <exactdot/simt/on_cpu.hpp>

namespace exactdot::simt::detail {

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
  return to;
}

/// The types that CUDA shuffles and matches.
template <class T>
concept exchangeable = one_of<T, int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;

/// The value that lane `from` gives; the caller's own if that is not in [lowest, end) or has not come.
template <exchangeable T>
[[gnu::always_inline]] inline T shuffle(std::uint32_t mask, T value, int from, int lowest, int end) {
  std::uint64_t values[32];
  const std::uint32_t came =
      exchange(exchange_kind::shuffle, mask, bits_as<std::uint64_t>(value), values, __builtin_return_address(0));
  const bool there = from >= lowest && from < end && (came >> from & 1U) != 0;
  return there ? bits_as<T>(values[from]) : value;
}

/// The lane of the caller, and the first of its segment of `width` lanes.
struct segment {
  int own, first;
  explicit segment(int width) : own(static_cast<int>(lane())), first(own / width * width) {}
};

template <class T, class Combine>
[[gnu::always_inline]] inline T reduce(std::uint32_t mask, T value, Combine combine) {
  std::uint64_t values[32];
  const std::uint32_t came =
      exchange(exchange_kind::reduction, mask, bits_as<std::uint64_t>(value), values, __builtin_return_address(0));
  T result = value;
  for (unsigned i = 0, first = 1; i < 32; ++i) {
    if ((came >> i & 1U) == 0) continue;
    result = first != 0 ? bits_as<T>(values[i]) : combine(result, bits_as<T>(values[i]));
    first = 0;
  }
  return result;
}

[[gnu::always_inline]] inline unsigned ballot(std::uint32_t mask, int predicate, std::uint32_t& came) {
  std::uint64_t values[32];
  came = exchange(exchange_kind::vote, mask, predicate != 0 ? 1 : 0, values, __builtin_return_address(0));
  unsigned set = 0;
  for (unsigned i = 0; i < 32; ++i) set |= (came >> i & 1U) != 0 && values[i] != 0 ? 1U << i : 0U;
  return set;
}

/// The lanes that gave the same bits as the caller.
template <exchangeable T>
[[gnu::always_inline]] inline unsigned match(std::uint32_t mask, T value, std::uint32_t& came) {
  std::uint64_t values[32];
  const auto own = bits_as<std::uint64_t>(value);
  came = exchange(exchange_kind::match, mask, own, values, __builtin_return_address(0));
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= (came >> i & 1U) != 0 && values[i] == own ? 1U << i : 0U;
  return same;
}

}  // namespace exactdot::simt::detail

// Not inlined: their return addresses are in the kernel.
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const exactdot::simt::detail::segment at(width);
  const int from = at.first + (source & (width - 1));
  return exactdot::simt::detail::shuffle(mask, value, from, at.first, at.first + width);
}
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const exactdot::simt::detail::segment at(width);
  return exactdot::simt::detail::shuffle(mask, value, at.own - static_cast<int>(delta), at.first, at.first + width);
}
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const exactdot::simt::detail::segment at(width);
  return exactdot::simt::detail::shuffle(mask, value, at.own + static_cast<int>(delta), at.first, at.first + width);
}
/// Reaches earlier segments too, but not later ones (CUDA C++ Programming Guide, "Warp Shuffle Functions").
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  const exactdot::simt::detail::segment at(width);
  return exactdot::simt::detail::shuffle(mask, value, at.own ^ lanes, 0, at.first + width);
}

EXACTDOT_SIMT_CALL inline unsigned __ballot_sync(unsigned mask, int predicate) {
  std::uint32_t came = 0;
  return exactdot::simt::detail::ballot(mask, predicate, came);
}
EXACTDOT_SIMT_CALL inline int __any_sync(unsigned mask, int predicate) {
  std::uint32_t came = 0;
  return exactdot::simt::detail::ballot(mask, predicate, came) != 0;
}
EXACTDOT_SIMT_CALL inline int __all_sync(unsigned mask, int predicate) {
  std::uint32_t came = 0;
  return exactdot::simt::detail::ballot(mask, predicate, came) == came;
}
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL unsigned __match_any_sync(unsigned mask, T value) {
  std::uint32_t came = 0;
  return exactdot::simt::detail::match(mask, value, came);
}
/// The mask if all its lanes gave the same, else 0.
template <exactdot::simt::detail::exchangeable T>
EXACTDOT_SIMT_CALL unsigned __match_all_sync(unsigned mask, T value, int* all_same) {
  std::uint32_t came = 0;
  *all_same = exactdot::simt::detail::match(mask, value, came) == came;
  return *all_same != 0 ? came : 0U;
}
EXACTDOT_SIMT_CALL inline unsigned __activemask() {
  return exactdot::simt::detail::active_mask(__builtin_return_address(0));
}
void __syncwarp(unsigned mask = 0xffffffffU);

template <exactdot::simt::detail::one_of<int, unsigned> T>
EXACTDOT_SIMT_CALL T __reduce_add_sync(unsigned mask, T value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](T x, T y) __attribute__((always_inline)) {
        return static_cast<T>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
      });
}
template <exactdot::simt::detail::one_of<int, unsigned> T>
EXACTDOT_SIMT_CALL T __reduce_min_sync(unsigned mask, T value) {
  return exactdot::simt::detail::reduce(
      mask, value, [](T x, T y) __attribute__((always_inline)) { return y < x ? y : x; });
}
template <exactdot::simt::detail::one_of<int, unsigned> T>
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
