// cuda_bf16.h for programs that simtcc compiles: bfloat16, its arithmetic, packed pairs and atomics.
//
// Every operation is computed in float or double and rounded once to nearest (small_floats.hpp): the GPU's bits,
// but for functions such as hexp, whose last bit may differ. Names: CUDA Math API.
#pragma once

#include <cuda_runtime.h>

#include <exactdot/simt/small_floats.hpp>

struct __nv_bfloat16 {
  using simt_word = unsigned short;
  unsigned short bits;

  __nv_bfloat16() = default;
  __nv_bfloat16(float x) : bits(exactdot::simt::detail::to_bfloat16(x)) {}
  __nv_bfloat16(double x) : bits(exactdot::simt::detail::double_to_bfloat16(x)) {}
  __nv_bfloat16(int x) : __nv_bfloat16(static_cast<double>(x)) {}
  __nv_bfloat16(unsigned x) : __nv_bfloat16(static_cast<double>(x)) {}
  __nv_bfloat16(long long x) : __nv_bfloat16(static_cast<double>(x)) {}
  __nv_bfloat16(unsigned long long x) : __nv_bfloat16(static_cast<double>(x)) {}
  operator float() const { return exactdot::simt::detail::bfloat16_to_float(bits); }
};
struct alignas(4) __nv_bfloat162 {
  using simt_word = unsigned;
  __nv_bfloat16 x, y;
};

inline __nv_bfloat16 operator+(__nv_bfloat16 x, __nv_bfloat16 y) {
  return static_cast<float>(x) + static_cast<float>(y);
}
inline __nv_bfloat16 operator-(__nv_bfloat16 x, __nv_bfloat16 y) {
  return static_cast<float>(x) - static_cast<float>(y);
}
inline __nv_bfloat16 operator*(__nv_bfloat16 x, __nv_bfloat16 y) {
  return static_cast<float>(x) * static_cast<float>(y);
}
inline __nv_bfloat16 operator/(__nv_bfloat16 x, __nv_bfloat16 y) {
  return static_cast<float>(x) / static_cast<float>(y);
}
inline __nv_bfloat16 operator-(__nv_bfloat16 x) { return -static_cast<float>(x); }
inline __nv_bfloat16 operator+(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16& operator+=(__nv_bfloat16& x, __nv_bfloat16 y) { return x = x + y; }
inline __nv_bfloat16& operator-=(__nv_bfloat16& x, __nv_bfloat16 y) { return x = x - y; }
inline __nv_bfloat16& operator*=(__nv_bfloat16& x, __nv_bfloat16 y) { return x = x * y; }
inline __nv_bfloat16& operator/=(__nv_bfloat16& x, __nv_bfloat16 y) { return x = x / y; }
inline bool operator==(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) == static_cast<float>(y); }
inline bool operator!=(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) != static_cast<float>(y); }
inline bool operator<(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) < static_cast<float>(y); }
inline bool operator<=(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) <= static_cast<float>(y); }
inline bool operator>(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) > static_cast<float>(y); }
inline bool operator>=(__nv_bfloat16 x, __nv_bfloat16 y) { return static_cast<float>(x) >= static_cast<float>(y); }
inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x + b.x, a.y + b.y}; }
inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x - b.x, a.y - b.y}; }
inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x * b.x, a.y * b.y}; }
inline __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x / b.x, a.y / b.y}; }
inline __nv_bfloat162 operator-(__nv_bfloat162 a) { return {-a.x, -a.y}; }
inline __nv_bfloat162& operator+=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a + b; }
inline __nv_bfloat162& operator-=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a - b; }
inline __nv_bfloat162& operator*=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a * b; }
inline __nv_bfloat162& operator/=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a / b; }
inline bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x == b.x && a.y == b.y; }
inline bool operator!=(__nv_bfloat162 a, __nv_bfloat162 b) { return !(a == b); }

// Conversions.
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline __nv_bfloat16 __double2bfloat16(double x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16 __int2bfloat16_rn(int x) { return x; }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return x; }
inline int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn(x); }
inline int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz(x); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 x;
  x.bits = bits;
  return x;
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
inline float __low2float(__nv_bfloat162 a) { return a.x; }
inline float __high2float(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }

// Arithmetic of one and of two.
inline __nv_bfloat16 __hadd(__nv_bfloat16 x, __nv_bfloat16 y) { return x + y; }
inline __nv_bfloat16 __hsub(__nv_bfloat16 x, __nv_bfloat16 y) { return x - y; }
inline __nv_bfloat16 __hmul(__nv_bfloat16 x, __nv_bfloat16 y) { return x * y; }
inline __nv_bfloat16 __hdiv(__nv_bfloat16 x, __nv_bfloat16 y) { return x / y; }
inline __nv_bfloat16 __hneg(__nv_bfloat16 x) { return -x; }
inline __nv_bfloat16 __habs(__nv_bfloat16 x) { return std::fabs(static_cast<float>(x)); }
inline __nv_bfloat16 __hfma(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z) {
  return exactdot::simt::detail::fused_to_odd(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return {-a.x, -a.y}; }
inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

// Comparisons.
inline bool __heq(__nv_bfloat16 x, __nv_bfloat16 y) { return x == y; }
inline bool __hne(__nv_bfloat16 x, __nv_bfloat16 y) { return x < y || x > y; }
inline bool __hlt(__nv_bfloat16 x, __nv_bfloat16 y) { return x < y; }
inline bool __hle(__nv_bfloat16 x, __nv_bfloat16 y) { return x <= y; }
inline bool __hgt(__nv_bfloat16 x, __nv_bfloat16 y) { return x > y; }
inline bool __hge(__nv_bfloat16 x, __nv_bfloat16 y) { return x >= y; }
inline bool __hisnan(__nv_bfloat16 x) { return x != x; }
inline int __hisinf(__nv_bfloat16 x) {
  return std::isinf(static_cast<float>(x)) ? (x < __nv_bfloat16(0) ? -1 : 1) : 0;
}
inline __nv_bfloat16 __hmax(__nv_bfloat16 x, __nv_bfloat16 y) {
  return std::fmax(static_cast<float>(x), static_cast<float>(y));
}
inline __nv_bfloat16 __hmin(__nv_bfloat16 x, __nv_bfloat16 y) {
  return std::fmin(static_cast<float>(x), static_cast<float>(y));
}
inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// Functions.
inline __nv_bfloat16 hsqrt(__nv_bfloat16 x) { return std::sqrt(static_cast<float>(x)); }
inline __nv_bfloat16 hrsqrt(__nv_bfloat16 x) { return rsqrtf(x); }
inline __nv_bfloat16 hrcp(__nv_bfloat16 x) { return 1.0F / static_cast<float>(x); }
inline __nv_bfloat16 hexp(__nv_bfloat16 x) { return std::exp(static_cast<float>(x)); }
inline __nv_bfloat16 hexp2(__nv_bfloat16 x) { return std::exp2(static_cast<float>(x)); }
inline __nv_bfloat16 hlog(__nv_bfloat16 x) { return std::log(static_cast<float>(x)); }
inline __nv_bfloat16 hlog2(__nv_bfloat16 x) { return std::log2(static_cast<float>(x)); }
inline __nv_bfloat16 hsin(__nv_bfloat16 x) { return std::sin(static_cast<float>(x)); }
inline __nv_bfloat16 hcos(__nv_bfloat16 x) { return std::cos(static_cast<float>(x)); }
inline __nv_bfloat16 hfloor(__nv_bfloat16 x) { return std::floor(static_cast<float>(x)); }
inline __nv_bfloat16 hceil(__nv_bfloat16 x) { return std::ceil(static_cast<float>(x)); }
inline __nv_bfloat16 hrint(__nv_bfloat16 x) { return std::nearbyint(static_cast<float>(x)); }
inline __nv_bfloat16 htrunc(__nv_bfloat16 x) { return std::trunc(static_cast<float>(x)); }

// Atomics. A packed atomic addition is one of each half, which need not be one step on a GPU either.
inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 x) {
  using namespace exactdot::simt::detail;
  return update<scope::device>(address, [x](__nv_bfloat16 old) { return old + x; });
}
inline __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 a) {
  using namespace exactdot::simt::detail;
  return update<scope::device>(address, [a](__nv_bfloat162 old) { return old + a; });
}

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
