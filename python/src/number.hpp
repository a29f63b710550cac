// Converts results to and from Python's float, independently of the floating-point environment.
//
// A thread that flushes subnormals to zero (FTZ, DAZ), or traps on underflow, would lose a subnormal float in a
// conversion to or from double: both directions convert its integer instead, a multiple of 2^-149.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <exactdot/reductions.hpp>

namespace exactdot::python {

inline double to_python(double value) { return value; }
inline double to_python(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000U) != 0) return value;
  return std::copysign(static_cast<double>(bits & 0x007fffffU) * 0x1p-149, (bits >> 31) != 0 ? -1.0 : 1.0);
}

inline double to_python(const any_scalar& value) {
  return with_element(value.type, [&]<class T>(T) { return to_python(value.as<T>()); });
}

/// The inverse of to_python.
template <class R>
R from_python(double value) {
  if constexpr (sizeof(R) == sizeof(float)) {
    if (std::abs(value) < 0x1p-126) {
      const auto multiple = static_cast<std::uint32_t>(std::abs(value) * 0x1p149);
      return std::bit_cast<float>(multiple | (std::signbit(value) ? 0x80000000U : 0U));
    }
  }
  return static_cast<R>(value);
}

}  // namespace exactdot::python
