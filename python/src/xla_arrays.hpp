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

/// Throws errc::bad_option for a call that exactdot.jax does not make.
inline void expect(bool is_right, const char* fault) {
  if (!is_right) throw error(errc::bad_option, std::string("a call that exactdot.jax did not lower: ") + fault);
}

/// The number that every target is given: ddof, the axis of keys, a divisor.
inline std::int64_t number_of(const xla::call_frame& call) {
  const xla::attributes& given = call.given;
  const bool is_scalar = given.count == 1 && given.kinds[0] == xla::scalar_kind;
  const auto* const number = is_scalar ? static_cast<const xla::scalar*>(given.values[0]) : nullptr;
  expect(number != nullptr && number->type == xla::s64, "its attributes are not one number of 64 bits");
  return *static_cast<const std::int64_t*>(number->value);
}

/// Throws unless there are `least` to `most` arrays, one result, and a number.
inline void check_call(const xla::call_frame& call, std::int64_t least, std::int64_t most) {
  const xla::buffers &arguments = call.arguments, &results = call.results;
  expect(arguments.count >= least && arguments.count <= most, "it has another number of arguments");
  expect(results.count == 1 && results.kinds[0] == xla::buffer_result, "it has not one array as result");
  for (std::int64_t i = 0; i < arguments.count; ++i)
    expect(arguments.kinds[i] == xla::buffer_argument, "one of its arguments is no array");
  static_cast<void>(number_of(call));
}

/// Throws unless a and b have the same dimensions, or length 1 along one, and so has the result with these.
inline void check_shapes(const xla_array& a, const xla_array& b, const xla_array& to, bool is_reduced) {
  const std::size_t dimensions = to.axes.size();
  expect(a.axes.size() == dimensions && b.axes.size() == dimensions, "its arrays differ in their dimensions");
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t n = common_length(a, b, i), m = to.axes[i].n;
    const bool fits = b.axes[i].n == n || b.axes[i].n == 1;
    expect(fits && (m == n || (is_reduced && m == 1)), "its arrays differ in their lengths");
  }
}

}  // namespace exactdot::python
