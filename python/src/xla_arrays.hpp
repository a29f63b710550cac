// Arrays as XLA's FFI passes them: element types and axes.
#pragma once

#include <exactdot/error.hpp>
#include <exactdot/shapes.hpp>
#include <python/src/xla_ffi.hpp>
#include <string>
#include <vector>

namespace exactdot::python {

/// Throws errc::bad_option for a type without exact sums, which exactdot.jax refuses before.
inline element_type element_type_of(xla::data_type type) {
  switch (type) {
    case xla::s8:
      return element_type::int8;
    case xla::s16:
      return element_type::int16;
    case xla::s32:
      return element_type::int32;
    case xla::s64:
      return element_type::int64;
    case xla::pred:
    case xla::u8:
      return element_type::uint8;
    case xla::u16:
      return element_type::uint16;
    case xla::u32:
      return element_type::uint32;
    case xla::u64:
      return element_type::uint64;
    case xla::f16:
      return element_type::float16;
    case xla::f32:
      return element_type::float32;
    case xla::f64:
      return element_type::float64;
    case xla::bf16:
      return element_type::bfloat16;
    case xla::f8e5m2:
      return element_type::float8_e5m2;
    case xla::f8e4m3fn:
      return element_type::float8_e4m3fn;
  }
  throw error(errc::bad_option, "XLA's element type " + std::to_string(type) + " has no exact sums");
}

/// axes: the dimensions; those of length 1 have the stride 0, so that they fit any length.
struct xla_array {
  void* data;
  element_type type;
  std::vector<axis> axes;
  std::size_t size = 1;

  explicit xla_array(const xla::buffer& x)
      : data(x.data), type(element_type_of(x.type)), axes(static_cast<std::size_t>(x.rank)) {
    for (std::size_t i = axes.size(); i-- > 0;) {
      const auto n = static_cast<std::size_t>(x.lengths[i]);
      axes[i] = {n, n == 1 ? 0 : static_cast<std::ptrdiff_t>(size * size_of(type))};
      size *= n;
    }
  }
};

/// The length along a dimension of two arrays of which one may have length 1.
inline std::size_t common_length(const xla_array& a, const xla_array& b, std::size_t dimension) {
  return a.axes[dimension].n == 1 ? b.axes[dimension].n : a.axes[dimension].n;
}

/// The number that every target is given: ddof, the axis of keys, a divisor.
inline std::int64_t number_of(const xla::call_frame& call) {
  const auto& given = *static_cast<const xla::scalar*>(call.given.values[0]);
  return *static_cast<const std::int64_t*>(given.value);
}

}  // namespace exactdot::python
