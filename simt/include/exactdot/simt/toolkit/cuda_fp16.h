// cuda_fp16.h for programs that simtcc compiles: half precision, its arithmetic, packed pairs and atomics.
//
// Every operation is computed in float or double and rounded once to nearest (small_floats.hpp): the GPU's bits,
// but for functions such as hexp, whose last bit may differ. Names: CUDA Math API.
#pragma once

#include <cuda_runtime.h>

#include <exactdot/simt/small_floats.hpp>

struct __half {
  using simt_word = unsigned short;
  unsigned short bits;

  __half() = default;
  __half(float x) : bits(exactdot::simt::detail::to_half(x)) {}
  __half(double x) : bits(exactdot::simt::detail::to_half(x)) {}
  __half(int x) : __half(static_cast<double>(x)) {}
  __half(unsigned x) : __half(static_cast<double>(x)) {}
  __half(long long x) : __half(static_cast<double>(x)) {}
  __half(unsigned long long x) : __half(static_cast<double>(x)) {}
  operator float() const { return exactdot::simt::detail::half_to_float(bits); }
};
struct alignas(4) __half2 {
  using simt_word = unsigned;
  __half x, y;
};

inline __half operator+(__half x, __half y) { return static_cast<float>(x) + static_cast<float>(y); }
inline __half operator-(__half x, __half y) { return static_cast<float>(x) - static_cast<float>(y); }
inline __half operator*(__half x, __half y) { return static_cast<float>(x) * static_cast<float>(y); }
inline __half operator/(__half x, __half y) { return static_cast<float>(x) / static_cast<float>(y); }
inline __half operator-(__half x) { return -static_cast<float>(x); }
inline __half operator+(__half x) { return x; }
inline __half& operator+=(__half& x, __half y) { return x = x + y; }
inline __half& operator-=(__half& x, __half y) { return x = x - y; }
inline __half& operator*=(__half& x, __half y) { return x = x * y; }
inline __half& operator/=(__half& x, __half y) { return x = x / y; }
inline bool operator==(__half x, __half y) { return static_cast<float>(x) == static_cast<float>(y); }
inline bool operator!=(__half x, __half y) { return static_cast<float>(x) != static_cast<float>(y); }
inline bool operator<(__half x, __half y) { return static_cast<float>(x) < static_cast<float>(y); }
inline bool operator<=(__half x, __half y) { return static_cast<float>(x) <= static_cast<float>(y); }
inline bool operator>(__half x, __half y) { return static_cast<float>(x) > static_cast<float>(y); }
inline bool operator>=(__half x, __half y) { return static_cast<float>(x) >= static_cast<float>(y); }
inline __half2 operator+(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
inline __half2 operator-(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
inline __half2 operator*(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
inline __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
inline __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
inline __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
inline __half2& operator-=(__half2& a, __half2 b) { return a = a - b; }
inline __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
inline __half2& operator/=(__half2& a, __half2 b) { return a = a / b; }
inline bool operator==(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }
inline bool operator!=(__half2 a, __half2 b) { return !(a == b); }

// Conversions.
inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline __half __double2half(double x) { return x; }
inline float __half2float(__half x) { return x; }
inline __half __int2half_rn(int x) { return x; }
inline __half __uint2half_rn(unsigned x) { return x; }
inline int __half2int_rn(__half x) { return __float2int_rn(x); }
inline int __half2int_rz(__half x) { return __float2int_rz(x); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short bits) {
  __half x;
  x.bits = bits;
  return x;
}
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }

// Arithmetic of one and of two.
inline __half __hadd(__half x, __half y) { return x + y; }
inline __half __hsub(__half x, __half y) { return x - y; }
inline __half __hmul(__half x, __half y) { return x * y; }
inline __half __hdiv(__half x, __half y) { return x / y; }
inline __half __hneg(__half x) { return -x; }
inline __half __habs(__half x) { return std::fabs(static_cast<float>(x)); }
inline __half __hfma(__half x, __half y, __half z) {
  return exactdot::simt::detail::fused_to_odd(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}
inline __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
inline __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
inline __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
inline __half2 __h2div(__half2 a, __half2 b) { return a / b; }
inline __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }

// Comparisons.
inline bool __heq(__half x, __half y) { return x == y; }
inline bool __hne(__half x, __half y) { return x < y || x > y; }
inline bool __hlt(__half x, __half y) { return x < y; }
inline bool __hle(__half x, __half y) { return x <= y; }
inline bool __hgt(__half x, __half y) { return x > y; }
inline bool __hge(__half x, __half y) { return x >= y; }
// Of two: one or zero in each half; hb…: whether both hold.
inline __half2 __heq2(__half2 a, __half2 b) { return {a.x == b.x, a.y == b.y}; }
inline __half2 __hne2(__half2 a, __half2 b) { return {__hne(a.x, b.x), __hne(a.y, b.y)}; }
inline __half2 __hlt2(__half2 a, __half2 b) { return {a.x < b.x, a.y < b.y}; }
inline __half2 __hle2(__half2 a, __half2 b) { return {a.x <= b.x, a.y <= b.y}; }
inline __half2 __hgt2(__half2 a, __half2 b) { return {a.x > b.x, a.y > b.y}; }
inline __half2 __hge2(__half2 a, __half2 b) { return {a.x >= b.x, a.y >= b.y}; }
inline bool __hbeq2(__half2 a, __half2 b) { return a == b; }
inline bool __hblt2(__half2 a, __half2 b) { return a.x < b.x && a.y < b.y; }
inline bool __hble2(__half2 a, __half2 b) { return a.x <= b.x && a.y <= b.y; }
inline bool __hbgt2(__half2 a, __half2 b) { return a.x > b.x && a.y > b.y; }
inline bool __hbge2(__half2 a, __half2 b) { return a.x >= b.x && a.y >= b.y; }
inline bool __hisnan(__half x) { return x != x; }
inline int __hisinf(__half x) { return std::isinf(static_cast<float>(x)) ? (x < __half(0) ? -1 : 1) : 0; }
inline __half __hmax(__half x, __half y) { return std::fmax(static_cast<float>(x), static_cast<float>(y)); }
inline __half __hmin(__half x, __half y) { return std::fmin(static_cast<float>(x), static_cast<float>(y)); }
inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// Functions.
inline __half hsqrt(__half x) { return std::sqrt(static_cast<float>(x)); }
inline __half hrsqrt(__half x) { return rsqrtf(x); }
inline __half hrcp(__half x) { return 1.0F / static_cast<float>(x); }
inline __half hexp(__half x) { return std::exp(static_cast<float>(x)); }
inline __half hexp2(__half x) { return std::exp2(static_cast<float>(x)); }
inline __half hlog(__half x) { return std::log(static_cast<float>(x)); }
inline __half hlog2(__half x) { return std::log2(static_cast<float>(x)); }
inline __half hsin(__half x) { return std::sin(static_cast<float>(x)); }
inline __half hcos(__half x) { return std::cos(static_cast<float>(x)); }
inline __half hfloor(__half x) { return std::floor(static_cast<float>(x)); }
inline __half hceil(__half x) { return std::ceil(static_cast<float>(x)); }
inline __half hrint(__half x) { return std::nearbyint(static_cast<float>(x)); }
inline __half htrunc(__half x) { return std::trunc(static_cast<float>(x)); }

inline __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
inline __half2 h2rsqrt(__half2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
inline __half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }
inline __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
inline __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
inline __half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
inline __half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
inline __half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
inline __half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }

// Atomics. A packed atomic addition is one of each half, which need not be one step on a GPU either.
inline __half atomicAdd(__half* address, __half x) {
  using namespace exactdot::simt::detail;
  return update<scope::device>(address, [x](__half old) { return old + x; });
}
inline __half2 atomicAdd(__half2* address, __half2 a) {
  using namespace exactdot::simt::detail;
  return update<scope::device>(address, [a](__half2 old) { return old + a; });
}

using half = __half;
using half2 = __half2;
using __half_raw = __half;
