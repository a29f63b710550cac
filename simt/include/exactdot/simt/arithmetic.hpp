// CUDA's arithmetic, conversion and bit functions on the host: pure functions of their arguments.
//
// Floating-point arithmetic gives the GPU's bits; here it rounds to nearest (suffix _rn), in directed_rounding.hpp
// otherwise. Kernels are compiled without contraction.
#pragma once

// with C++'s overloads in the global namespace, as nvcc has them: of abs, floor and others, and of abs for integers
#include <math.h>
#include <stdlib.h>

#include <cmath>  // and, with GCC's library, std::max and std::min
#if !defined(__GLIBCXX__)
#include <algorithm>
#endif
#include <cstdint>
#include <limits>
#include <type_traits>

namespace exactdot::simt::detail {

/// Converts toward zero, saturating. NaN gives 0; if either type has 64 bits, the highest bit (PTX ISA, "cvt").
template <class To, class From>
inline To to_integer(From x) {
  using limits = std::numeric_limits<To>;
  constexpr From bound = 2 * static_cast<From>(To{1} << (limits::digits - 1));  // 2^31, 2^32, 2^63 or 2^64
  constexpr To highest_bit = static_cast<To>(std::make_unsigned_t<To>{1} << (8 * sizeof(To) - 1));
  if (x != x) return sizeof(To) == 8 || sizeof(From) == 8 ? highest_bit : To{0};
  if constexpr (std::is_unsigned_v<To>) return x >= bound ? limits::max() : x <= 0 ? To{0} : static_cast<To>(x);
  return x >= bound ? limits::max() : x < -bound ? limits::min() : static_cast<To>(x);
}

}  // namespace exactdot::simt::detail

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frcp_rn(float x) { return 1.0F / x; }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline double __drcp_rn(double x) { return 1.0 / x; }

// Conversions. To float or double they round to nearest.
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1U) << (31 - i);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

// _l: upper half of high:low shifted left; _r: lower half of high:low shifted right. The shift is taken modulo 32;
// in the forms with c it is clamped to 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31U));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/// Returns four of the eight bytes of y:x, each chosen by the lowest three bits of one hexadecimal digit of the
/// selector.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned chosen = 0;
  for (unsigned i = 0; i < 4; ++i)
    chosen |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7U) & 0xffU) << 8 * i;
  return chosen;
}

// On the two 16-bit halves of a word. Sums are taken modulo 2^16.
inline unsigned __vmaxu2(unsigned x, unsigned y) {
  const unsigned high = std::max(x >> 16, y >> 16), low = std::max(x & 0xffffU, y & 0xffffU);
  return high << 16 | low;
}
inline unsigned __viaddmax_u16x2(unsigned x, unsigned y, unsigned z) {
  const unsigned low = (x + y) & 0xffffU, high = (x >> 16) + (y >> 16);
  return __vmaxu2(high << 16 | low, z);
}

inline int __mulhi(int x, int y) { return static_cast<int>((std::int64_t{x} * y) >> 32); }
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
inline unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} * y) >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
inline int __float_as_int(float x) { return exactdot::simt::detail::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return exactdot::simt::detail::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return exactdot::simt::detail::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return exactdot::simt::detail::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return exactdot::simt::detail::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return exactdot::simt::detail::bit_cast<double>(x); }
inline int __double2hiint(double x) {
  return static_cast<int>(exactdot::simt::detail::bit_cast<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x) { return static_cast<int>(exactdot::simt::detail::bit_cast<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return exactdot::simt::detail::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                                                  static_cast<unsigned>(low));
}

inline float rsqrtf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

// CUDA has these in the global namespace. max and min take two integers of any types, or two floats; with one NaN
// they return the other argument. An integer and a float do not mix.
using std::isfinite;
using std::isinf;
using std::isnan;
using std::max;
using std::min;
using std::signbit;
inline float max(float x, float y) { return std::fmax(x, y); }
inline double max(double x, double y) { return std::fmax(x, y); }
inline double max(float x, double y) { return std::fmax(x, y); }
inline double max(double x, float y) { return std::fmax(x, y); }
inline float min(float x, float y) { return std::fmin(x, y); }
inline double min(double x, double y) { return std::fmin(x, y); }
inline double min(float x, double y) { return std::fmin(x, y); }
inline double min(double x, float y) { return std::fmin(x, y); }
template <class T, class U, std::enable_if_t<exactdot::simt::detail::different_integers<T, U>, int> = 0>
constexpr auto max(T x, U y) {
  return std::max<std::common_type_t<T, U>>(x, y);
}
template <class T, class U, std::enable_if_t<exactdot::simt::detail::different_integers<T, U>, int> = 0>
constexpr auto min(T x, U y) {
  return std::min<std::common_type_t<T, U>>(x, y);
}

inline unsigned umax(unsigned x, unsigned y) { return x < y ? y : x; }
inline unsigned umin(unsigned x, unsigned y) { return y < x ? y : x; }
inline long long llmax(long long x, long long y) { return x < y ? y : x; }
inline long long llmin(long long x, long long y) { return y < x ? y : x; }
inline unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x < y ? y : x; }
inline unsigned long long ullmin(unsigned long long x, unsigned long long y) { return y < x ? y : x; }

#include <exactdot/simt/directed_rounding.hpp>
