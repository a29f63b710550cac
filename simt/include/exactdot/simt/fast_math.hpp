// CUDA's fast functions and small integer intrinsics on the simulator (CUDA Math API, "Intrinsics").
//
// The fast functions are the host library's accurate ones: a GPU's result differs by its documented error.
#pragma once

#include <exactdot/simt/kernel.hpp>

inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0F, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline void __sincosf(float x, float* sine, float* cosine) { *sine = std::sin(x), *cosine = std::cos(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frsqrt_rn(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0F) : 0.0F; }
inline float rcbrtf(float x) { return 1 / std::cbrt(x); }
inline double rcbrt(double x) { return 1 / std::cbrt(x); }
inline float sinpif(float x) {
  return static_cast<float>(std::sin(std::fmod(static_cast<double>(x), 2.0) * 3.141592653589793));
}
inline float cospif(float x) {
  return static_cast<float>(std::cos(std::fmod(static_cast<double>(x), 2.0) * 3.141592653589793));
}
inline double sinpi(double x) { return std::sin(std::fmod(x, 2.0) * 3.141592653589793); }
inline double cospi(double x) { return std::cos(std::fmod(x, 2.0) * 3.141592653589793); }
inline float normcdff(float x) {
  return static_cast<float>(0.5 * std::erfc(-static_cast<double>(x) * 0.7071067811865476));
}
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.7071067811865476); }
inline float fdividef(float x, float y) { return x / y; }
inline float rhypotf(float x, float y) {
  return static_cast<float>(1 / std::hypot(static_cast<double>(x), static_cast<double>(y)));
}
inline float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }

/// Products of the lowest 24 bits.
inline int __mul24(int x, int y) {
  const auto low = [](int value) {
    return static_cast<std::int64_t>(static_cast<int>(static_cast<unsigned>(value) << 8) >> 8);
  };
  return static_cast<int>(low(x) * low(y));
}
inline unsigned __umul24(unsigned x, unsigned y) {
  return static_cast<unsigned>(std::uint64_t{x & 0xffffffU} * (y & 0xffffffU));
}
/// |x - y| + z
inline unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                : static_cast<unsigned>(y) - static_cast<unsigned>(x)) +
         z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
/// Averages, rounded down (hadd) or up (rhadd).
inline int __hadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((std::int64_t{x} + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} + y) >> 1); }
inline unsigned __urhadd(unsigned x, unsigned y) { return static_cast<unsigned>((std::uint64_t{x} + y + 1) >> 1); }

/// sum + the products of four pairs of bytes
inline int __dp4a(int x, int y, int sum) {
  auto total = static_cast<unsigned>(sum);
  for (int i = 0; i < 32; i += 8)
    total += static_cast<unsigned>(static_cast<signed char>(x >> i) * static_cast<signed char>(y >> i));
  return static_cast<int>(total);
}
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  for (unsigned i = 0; i < 32; i += 8) sum += (x >> i & 0xffU) * (y >> i & 0xffU);
  return sum;
}
