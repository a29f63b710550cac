// Converts results to Python's float, independently of the floating-point environment.
//
// A thread that flushes subnormals to zero (FTZ, DAZ), or traps on underflow, would lose a subnormal float in a
// conversion to double. So the conversion uses integers: a subnormal float is a multiple of 2^-149.
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
  return with_carrier(value.type, [&]<class T>(T) { return to_python(value.as<T>()); });
}

}  // namespace exactdot::python
