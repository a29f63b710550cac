// CUDA's warp functions, barriers, fences, arithmetic and bit functions on the simulator.
#pragma once

#include <exactdot/simt/on_cpu.hpp>

namespace exactdot::simt::detail {

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof to < sizeof from ? sizeof to : sizeof from);
  return to;
}

template <class T>
concept exchangeable = std::is_arithmetic_v<T>;

/// The value that lane `from` gives; the caller's own if that is not in [lowest, end) or has not come.
template <exchangeable T>
[[gnu::always_inline]] inline T shuffle(std::uint32_t mask, T value, int from, int lowest, int end) {
  std::uint64_t values[32];
  const std::uint32_t came =
      exchange("shuffle", mask, bits_as<std::uint64_t>(value), values, __builtin_return_address(0));
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
      exchange("reduction", mask, bits_as<std::uint64_t>(value), values, __builtin_return_address(0));
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
  came = exchange("vote", mask, predicate != 0 ? 1 : 0, values, __builtin_return_address(0));
  unsigned set = 0;
  for (unsigned i = 0; i < 32; ++i) set |= (came >> i & 1U) != 0 && values[i] != 0 ? 1U << i : 0U;
  return set;
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
inline unsigned __activemask() { return exactdot::simt::detail::active_mask(); }
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

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __threadfence_block();
void __threadfence();
void __threadfence_system();
void __nanosleep(unsigned nanoseconds);

template <class T>
inline T __ldg(const T* from) {
  return *from;
}
template <class T>
inline T __ldcs(const T* from) {
  return *from;
}
template <class T>
inline T __ldca(const T* from) {
  return *from;
}
template <class T>
inline T __ldcg(const T* from) {
  return *from;
}
template <class T>
inline void __stcs(T* to, T value) {
  *to = value;
}

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline int __ffsll(long long x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1; }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1U) << (31 - i);
  return reversed;
}
inline unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} * y) >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}

/// Steps that the launch has taken: a clock that only tells order.
inline long long clock64() { return exactdot::simt::detail::steps_taken(); }

// CUDA has these for all arithmetic types, in the global namespace.
using std::max;
using std::min;
