// Imports objects that are no arrays (imported_array.hpp): Python's numbers and lists of them, columns of pandas,
// Polars and PyArrow, and whatever exactdot/_numbers.py converts.
#include <memory>
#include <python/src/arrow_column.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/import_errors.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/known_types.hpp>
#include <python/src/python_numbers.hpp>
#include <utility>

namespace exactdot::python {
namespace {

/// Whether a pyarrow.Array lies in another memory than that of the CPU; DLPack tells which.
bool is_on_gpu_in_arrow(PyObject* array) {
  const nb::object is_on_cpu = find_attribute(array, "is_cpu");
  return is_on_cpu.is_valid() && is_on_cpu.ptr() == Py_False;
}

/// An object that deletes `memory` with its last reference.
template <class T>
nb::object owner_of(std::unique_ptr<T> memory) {
  nb::capsule owner(memory.get(), [](void* held) noexcept { delete static_cast<T*>(held); });
  memory.release();
  return owner;
}

}  // namespace

/// Reads an object of a type that is known. Returns false for others.
bool imported_array::read_known_type() {
  switch (way_in_of(object)) {
    case way_in::buffer:
      read_buffer(object);
      return true;
    case way_in::time:  // whose buffer is one of bytes
      throw wrong_type("of dtype " + dtype_name(object));
    case way_in::polars:
    case way_in::arrow_chunks:
      read_arrow(true);
      return true;
    case way_in::arrow:
      if (is_on_gpu_in_arrow(object)) return false;
      read_arrow(false);
      return true;
    case way_in::pandas:
      read_pandas();
      return true;
    default:
      return false;
  }
}

bool imported_array::read_numbers() {
  PyTypeObject* const its = Py_TYPE(object);
  const bool is_plain = its == &PyList_Type || its == &PyFloat_Type || its == &PyLong_Type ||
                        its == &PyTuple_Type || its == &PyBool_Type;
  if (!is_plain) return false;
  is_list = its == &PyList_Type || its == &PyTuple_Type;
  auto numbers = std::make_unique<python_numbers>();
  if (!read_python_numbers(object, *numbers)) {
    convert();
    return true;
  }
  type = numbers->type;
  is_boolean = numbers->are_booleans;
  set_shape(numbers->dimensions, numbers->shape.data());
  set_strides(nullptr, 1);
  data = numbers->words.data();
  owner_ = owner_of(std::move(numbers));
  read_only = true;
  return true;
}

/// The values of a Series are an array of NumPy, or of a type of pandas' own, which _numbers.py reads.
void imported_array::read_pandas() {
  const finalization_guard guard;
  nb::object values = nb::handle(object).attr("values");
  if (!is_numpy_array(values.ptr())) {
    return convert_from(values.ptr());
  }
  owner_ = std::move(values);
  const bool is_empty_list = PyObject_Size(owner_.ptr()) == 0 && dtype_name(owner_.ptr()) == "object";
  if (is_empty_list) owner_ = owner_.attr("astype")("float64");  // the type that Series gives to nothing
  try {
    read_buffer(owner_.ptr());
  } catch (const invalid_array&) {
    if (dtype_name(owner_.ptr()) != "object") throw;
    PyBuffer_Release(&buffer_);
    convert_from(object);  // which knows Nones
  }
}

void imported_array::read_arrow(bool has_chunks) {
  auto column = std::make_unique<arrow_column>(object, has_chunks, takes_nulls);
  if (!column->valid.empty()) validity = std::make_unique<std::vector<std::uint8_t>>(std::move(column->valid));
  type = column->type;
  is_boolean = column->is_boolean;
  const std::int64_t shape[] = {column->length};
  set_shape(1, shape);
  set_strides(nullptr, 1);
  data = const_cast<void*>(column->data);
  owner_ = owner_of(std::move(column));
  read_only = true;
}

void imported_array::convert() {
  is_list = is_list || Py_TYPE(object) == &PyRange_Type;
  convert_from(object);
}

/// By exactdot/_numbers.py, which returns an array of NumPy, numbers that no element type holds, or why it refuses.
void imported_array::convert_from(PyObject* from) {
  static PyObject* convert_function = nullptr;
  const finalization_guard guard;
  if (takes_nulls) return convert_without_nulls(from);
  if (convert_function == nullptr) {
    convert_function = nb::module_::import_("exactdot._numbers").attr("convert").inc_ref().ptr();
  }
  owner_ = nb::handle(convert_function)(nb::handle(from));
  read_converted();
}

void imported_array::convert_without_nulls(PyObject* from) {
  const nb::object function = nb::module_::import_("exactdot._numbers").attr("convert_without_nulls");
  const nb::tuple converted = nb::borrow<nb::tuple>(function(nb::handle(from)));
  owner_ = converted[0];
  read_converted();
  const nb::bytes flags = nb::borrow<nb::bytes>(converted[1]);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(flags.data());
  if (flags.size() != 0) validity = std::make_unique<std::vector<std::uint8_t>>(bytes, bytes + flags.size());
}

void imported_array::read_as_floats() {
  const finalization_guard guard;
  nb::object floats = nb::module_::import_("exactdot._numbers").attr("as_floats")(for_python());
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  owner_ = std::move(floats);
  is_boolean = false;
  read_converted();
}

void imported_array::make_vector() {
  if (on_gpu || (dimensions == 1 && !holds_exact_numbers)) return;
  const finalization_guard guard;
  if (holds_exact_numbers) {
    owner_.attr("shape") = nb::make_tuple(nb::len(nb::object(owner_.attr("values"))));
    return;
  }
  nb::object flat = for_numpy().attr("reshape")(-1);
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  owner_ = std::move(flat);
  read_converted();
}

void imported_array::read_converted() {
  if (is_numpy_array(owner_.ptr())) {
    read_buffer(owner_.ptr());
    read_only = true;
    return;
  }
  if (nb::hasattr(owner_, "sentence")) {
    throw invalid_array{nb::cast<bool>(owner_.attr("is_type_error")),
                        nb::cast<std::string>(owner_.attr("sentence"))};
  }
  if (!takes_exact_numbers) throw invalid_array{true, nb::cast<std::string>(owner_.attr("reason"))};
  holds_exact_numbers = true;
}

nb::object imported_array::for_python() const {
  if (holds_exact_numbers) return owner_;
  if (!owner_.is_valid() || !is_numpy_array(owner_.ptr())) return nb::borrow(object);
  if (!is_of_ml_dtypes(type)) return owner_;
  return owner_.attr("view")(
      nb::module_::import_("ml_dtypes").attr(name_of(type).data()));  // it is read as an integer
}

/// What keeps the memory, until the object that is returned is deleted.
nb::object imported_array::take_memory() {
  auto held = std::make_unique<imported_array>();
  held->buffer_ = std::exchange(buffer_, {});
  held->managed_ = std::exchange(managed_, nullptr);
  held->versioned_ = std::exchange(versioned_, nullptr);
  held->owner_ = std::move(owner_);
  return owner_of(std::move(held));
}

nb::object imported_array::for_numpy() {
  if (holds_exact_numbers) return owner_;
  if (owner_.is_valid() && is_numpy_array(owner_.ptr())) return for_python();
  if (is_numpy_array(object)) return nb::borrow(object);
  nb::list lengths, strides;
  for (const axis& each : all_axes()) lengths.append(each.n), strides.append(each.stride);
  owner_ = take_memory();
  const finalization_guard guard;
  const std::string name = is_boolean ? "bool" : std::string(name_of(type));
  return nb::module_::import_("exactdot._numbers")
      .attr("array_at")(reinterpret_cast<std::uintptr_t>(data), nb::tuple(lengths), nb::tuple(strides), name,
                        swapped, owner_);
}

}  // namespace exactdot::python
