// Converts results to Python's float and int, independently of the floating-point environment.
//
// A thread that flushes subnormals to zero (FTZ, DAZ), or traps on underflow, would lose a subnormal float in a
// conversion to double. So the conversion uses integers: a subnormal float is a multiple of 2^-149.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <exactdot/reductions.hpp>
#include <limits>

namespace exactdot::python {

inline double to_double(double value) { return value; }
inline double to_double(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000U) != 0) return value;
  return std::copysign(static_cast<double>(bits & 0x007fffffU) * 0x1p-149, (bits >> 31) != 0 ? -1.0 : 1.0);
}

/// Any NaN as the one that Python has, with its sign.
inline double plain_nan(double value) {
  return value != value ? std::copysign(std::numeric_limits<double>::quiet_NaN(), std::signbit(value) ? -1.0 : 1.0)
                        : value;
}

/// A float, or an int for an integer.
inline nanobind::object to_python(const any_scalar& value) {
  return with_element(value.type, [&]<class T>(T) -> nanobind::object {
    if constexpr (std::unsigned_integral<T>) {
      return nanobind::steal(PyLong_FromUnsignedLongLong(value.as<T>()));
    } else if constexpr (std::signed_integral<T>) {
      return nanobind::steal(PyLong_FromLongLong(value.as<T>()));
    } else if constexpr (std::same_as<T, double>) {
      return nanobind::float_(value.as<T>());
    } else {
      return nanobind::float_(plain_nan(to_double(static_cast<float>(value.as<T>()))));
    }
  });
}

/// Of a number that lies in memory: of a complex type a complex.
inline nanobind::object to_python(element_type type, const void* at) {
  const auto read = [&](element_type of, std::size_t offset) {
    any_scalar value{of, 0};
    std::memcpy(&value.bits, static_cast<const char*>(at) + offset, size_of(of));
    return value;
  };
  if (!is_complex(type)) return to_python(read(type, 0));
  const auto part = [&](std::size_t k) {
    const any_scalar value = read(part_of(type), k * size_of(part_of(type)));
    return value.type == element_type::float32 ? plain_nan(to_double(value.as<float>())) : value.as<double>();
  };
  return nanobind::steal(PyComplex_FromDoubles(part(0), part(1)));
}

}  // namespace exactdot::python
