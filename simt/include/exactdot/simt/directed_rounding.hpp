// CUDA's arithmetic and conversions with a rounding mode in their names: _rd down, _ru up, _rz toward zero, and of
// conversions to integers _rn to nearest (CUDA Math API, "Intrinsics").
//
// The processor rounds: its mode changes for one operation (MXCSR, Intel SDM volume 1, section 10.2.3). Operands
// and result pass through empty assembler statements, which keep the operation between the changes. std::sqrt has a
// branch, where the turn of a thread may end, so square roots are an instruction.
#pragma once

#include <cmath>
#include <exactdot/simt/arithmetic.hpp>

namespace exactdot::simt::detail {

enum class rounding : unsigned { down = 0x2000, up = 0x4000, zero = 0x6000 };

template <class T>
[[gnu::always_inline]] inline void pin(T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    asm volatile("" : "+x"(x));
  } else {
    asm volatile("" : "+r"(x));
  }
}

[[gnu::always_inline]] inline float square_root(float x) {
  asm("sqrtss %0, %0" : "+x"(x));
  return x;
}
[[gnu::always_inline]] inline double square_root(double x) {
  asm("sqrtsd %0, %0" : "+x"(x));
  return x;
}

/// Returns operation(x...) in a rounding mode.
template <rounding mode, class Operation, class... T>
[[gnu::always_inline]] inline auto rounded(Operation operation, T... x) {
  unsigned before = 0;
  asm volatile("stmxcsr %0" : "=m"(before));
  const unsigned changed = (before & ~0x6000U) | static_cast<unsigned>(mode);
  asm volatile("ldmxcsr %0" ::"m"(changed));
  (pin(x), ...);
  auto result = operation(x...);
  pin(result);
  asm volatile("ldmxcsr %0" ::"m"(before));
  return result;
}

// Functions of these names and types, in three modes.
#define EXACTDOT_ROUNDED(name, parameters, result, ...)                                                         \
  inline result name##_rd parameters { return ::exactdot::simt::detail::rounded<rounding::down>(__VA_ARGS__); } \
  inline result name##_ru parameters { return ::exactdot::simt::detail::rounded<rounding::up>(__VA_ARGS__); }   \
  inline result name##_rz parameters { return ::exactdot::simt::detail::rounded<rounding::zero>(__VA_ARGS__); }
#define EXACTDOT_TO_INTEGER(name, from, to)                                 \
  inline to name##_rn(from x) { return to_integer<to>(std::nearbyint(x)); } \
  inline to name##_rd(from x) { return to_integer<to>(std::floor(x)); }     \
  inline to name##_ru(from x) { return to_integer<to>(std::ceil(x)); }      \
  inline to name##_rz(from x) { return to_integer<to>(x); }

namespace rounded_functions {

EXACTDOT_ROUNDED(
    __fadd, (float x, float y), float, [](float a, float b) { return a + b; }, x, y)
EXACTDOT_ROUNDED(
    __fsub, (float x, float y), float, [](float a, float b) { return a - b; }, x, y)
EXACTDOT_ROUNDED(
    __fmul, (float x, float y), float, [](float a, float b) { return a * b; }, x, y)
EXACTDOT_ROUNDED(
    __fdiv, (float x, float y), float, [](float a, float b) { return a / b; }, x, y)
EXACTDOT_ROUNDED(
    __fsqrt, (float x), float, [](float a) { return square_root(a); }, x)
EXACTDOT_ROUNDED(
    __frcp, (float x), float, [](float a) { return 1 / a; }, x)
EXACTDOT_ROUNDED(
    __fmaf, (float x, float y, float z), float, [](float a, float b, float c) { return std::fma(a, b, c); }, x, y,
    z)
EXACTDOT_ROUNDED(
    __dadd, (double x, double y), double, [](double a, double b) { return a + b; }, x, y)
EXACTDOT_ROUNDED(
    __dsub, (double x, double y), double, [](double a, double b) { return a - b; }, x, y)
EXACTDOT_ROUNDED(
    __dmul, (double x, double y), double, [](double a, double b) { return a * b; }, x, y)
EXACTDOT_ROUNDED(
    __ddiv, (double x, double y), double, [](double a, double b) { return a / b; }, x, y)
EXACTDOT_ROUNDED(
    __dsqrt, (double x), double, [](double a) { return square_root(a); }, x)
EXACTDOT_ROUNDED(
    __drcp, (double x), double, [](double a) { return 1 / a; }, x)
EXACTDOT_ROUNDED(
    __fma, (double x, double y, double z), double, [](double a, double b, double c) { return std::fma(a, b, c); },
    x, y, z)

EXACTDOT_ROUNDED(
    __double2float, (double x), float, [](double a) { return static_cast<float>(a); }, x)
EXACTDOT_ROUNDED(
    __int2float, (int x), float, [](int a) { return static_cast<float>(a); }, x)
EXACTDOT_ROUNDED(
    __uint2float, (unsigned x), float, [](unsigned a) { return static_cast<float>(a); }, x)
EXACTDOT_ROUNDED(
    __ll2float, (long long x), float, [](long long a) { return static_cast<float>(a); }, x)
EXACTDOT_ROUNDED(
    __ull2float, (unsigned long long x), float, [](unsigned long long a) { return static_cast<float>(a); }, x)
EXACTDOT_ROUNDED(
    __ll2double, (long long x), double, [](long long a) { return static_cast<double>(a); }, x)
EXACTDOT_ROUNDED(
    __ull2double, (unsigned long long x), double, [](unsigned long long a) { return static_cast<double>(a); }, x)

EXACTDOT_TO_INTEGER(__float2int, float, int)
EXACTDOT_TO_INTEGER(__float2uint, float, unsigned)
EXACTDOT_TO_INTEGER(__float2ll, float, long long)
EXACTDOT_TO_INTEGER(__float2ull, float, unsigned long long)
EXACTDOT_TO_INTEGER(__double2int, double, int)
EXACTDOT_TO_INTEGER(__double2uint, double, unsigned)
EXACTDOT_TO_INTEGER(__double2ll, double, long long)
EXACTDOT_TO_INTEGER(__double2ull, double, unsigned long long)

}  // namespace rounded_functions

#undef EXACTDOT_ROUNDED
#undef EXACTDOT_TO_INTEGER

}  // namespace exactdot::simt::detail

using namespace exactdot::simt::detail::rounded_functions;
