// Imports arrays by __cuda_array_interface__ (version 3).
#include <python/src/import_errors.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {
namespace {

/// `value` as a V. Throws invalid_array that names the field of __cuda_array_interface__.
template <class V>
V cast_field(nb::handle value, const char* name) {
  V read{};
  if (!nb::try_cast(value, read)) {
    throw invalid_array{true, std::string("__cuda_array_interface__ has no valid ") + name};
  }
  return read;
}

/// The integer at `index` of a tuple. Throws invalid_array like cast_field.
template <class Integer>
Integer tuple_integer(const nb::tuple& values, std::size_t index, const char* name) {
  return cast_field<Integer>(index < values.size() ? nb::object(values[index]) : nb::none(), name);
}

/// The first `count` integers of a tuple.
std::vector<std::int64_t> tuple_integers(const nb::tuple& values, std::size_t count, const char* name) {
  std::vector<std::int64_t> integers;
  for (std::size_t i = 0; i < count; ++i) integers.push_back(tuple_integer<std::int64_t>(values, i, name));
  return integers;
}

}  // namespace

void imported_array::read_cuda_array_interface(const nb::object& value) {
  is_imported_ = true;
  nb::dict interface;
  if (!nb::try_cast(value, interface)) throw invalid_array{true, "__cuda_array_interface__ is not a dict"};
  const auto field = [&](const char* name) -> nb::object {
    return interface.contains(name) ? nb::object(interface[name]) : nb::none();
  };
  const auto text = cast_field<std::string>(field("typestr"), "typestr");
  const auto found = read_type_string(text, needs_name(text) ? dtype_name(object) : "");
  if (!found) throw wrong_type("'" + text + "'");
  type = found->type;
  is_boolean = found->is_boolean;
  swapped = found->swapped;
  if (!field("mask").is_none()) throw masked_array();
  const auto shape = cast_field<nb::tuple>(field("shape"), "shape");
  const auto lengths = tuple_integers(shape, shape.size(), "shape");
  set_shape(static_cast<int>(lengths.size()), lengths.data());
  const auto pointer = cast_field<nb::tuple>(field("data"), "data");
  set_data(reinterpret_cast<void*>(tuple_integer<std::uintptr_t>(pointer, 0, "data")));
  const int is_read_only = pointer.size() > 1 ? PyObject_IsTrue(nb::object(pointer[1]).ptr()) : -1;
  if (is_read_only < 0) {
    PyErr_Clear();
    throw invalid_array{true, "__cuda_array_interface__ has no valid data"};
  }
  read_only = is_read_only == 1;
  set_strides(nullptr, 1);
  if (const auto strides = field("strides"); !strides.is_none() && dimensions != 0) {
    set_strides(tuple_integers(cast_field<nb::tuple>(strides, "strides"), lengths.size(), "strides").data(), 1);
  }
  if (const auto stream = field("stream"); !stream.is_none()) {
    producer_stream = cast_field<std::intptr_t>(stream, "stream");
    if (producer_stream < 0) throw invalid_array{true, "__cuda_array_interface__ has no valid stream"};
  }
  device = -1;  // the pointer knows
}

}  // namespace exactdot::python
