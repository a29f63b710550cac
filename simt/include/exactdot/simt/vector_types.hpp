// CUDA's vector types, with CUDA's alignment: a float4 is one 16-byte access on a GPU.
#pragma once

namespace exactdot::simt::detail {
template <class T, int alignment>
struct alignas(alignment) vector2 {
  T x, y;
};
template <class T>
struct vector3 {
  T x, y, z;
};
template <class T, int alignment>
struct alignas(alignment) vector4 {
  T x, y, z, w;
};
}  // namespace exactdot::simt::detail

using char4 = exactdot::simt::detail::vector4<signed char, 4>;
using uchar4 = exactdot::simt::detail::vector4<unsigned char, 4>;
using short2 = exactdot::simt::detail::vector2<short, 4>;
using short4 = exactdot::simt::detail::vector4<short, 8>;
using int2 = exactdot::simt::detail::vector2<int, 8>;
using int3 = exactdot::simt::detail::vector3<int>;
using int4 = exactdot::simt::detail::vector4<int, 16>;
using uint2 = exactdot::simt::detail::vector2<unsigned, 8>;
using uint3 = exactdot::simt::detail::vector3<unsigned>;
using uint4 = exactdot::simt::detail::vector4<unsigned, 16>;
using longlong2 = exactdot::simt::detail::vector2<long long, 16>;
using ulonglong2 = exactdot::simt::detail::vector2<unsigned long long, 16>;
using float2 = exactdot::simt::detail::vector2<float, 8>;
using float3 = exactdot::simt::detail::vector3<float>;
using float4 = exactdot::simt::detail::vector4<float, 16>;
using double2 = exactdot::simt::detail::vector2<double, 16>;
using double3 = exactdot::simt::detail::vector3<double>;
using double4 = exactdot::simt::detail::vector4<double, 16>;

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

constexpr int2 make_int2(int x, int y) { return {x, y}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
constexpr float2 make_float2(float x, float y) { return {x, y}; }
constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
constexpr double2 make_double2(double x, double y) { return {x, y}; }
constexpr double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }
constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
