// Implementation of vectors.hpp.
#include <python/src/arguments.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/torch_tensor.hpp>
#include <python/src/vectors.hpp>
#include <utility>

namespace exactdot::python {
namespace {

const char* memory_name(const imported_array& vector) { return vector.on_gpu ? "GPU memory" : "host memory"; }

std::string gpu_name(const imported_array& vector) { return "GPU " + std::to_string(vector.device); }

}  // namespace

vectors::vectors(const char* caller, nb::handle x, const char* name)
    : caller_(caller), names_{name, ""}, objects_{x, nb::handle()}, two_(false) {}

vectors::vectors(const char* caller, nb::handle a, nb::handle b, const char* name_of_a, const char* name_of_b)
    : caller_(caller), names_{name_of_a, name_of_b}, objects_{a, b}, two_(true) {}

std::string vectors::description() const {
  std::string text = std::string(names_[0]) + " is " + describe(objects_[0].ptr());
  if (two_) text += std::string("; ") + names_[1] + " is " + describe(objects_[1].ptr());
  return text;
}

void vectors::refuse(bool is_type_error, const std::string& why) const {
  throw_python(is_type_error, std::string(caller_) + ": " + why + " (" + description() + ")");
}

void vectors::refuse_stream(nb::handle stream) const {
  if (!stream.is_none()) refuse(false, "stream is for vectors in GPU memory; omit it");
}

const plain_tensor* vectors::description_of(PyObject* object) const {
  for (const plain_tensor* each : described) {
    if (each->object == object) return each;
  }
  return nullptr;
}

void vectors::locate_one(imported_array& array, nb::handle object, const char* name) {
  array.described = description_of(object.ptr());
  try {
    array.locate(object.ptr(), conversion::of_numbers);
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, std::string(name) + ": " + refused.reason);
  }
}

void vectors::locate() {
  if (flattens) [[unlikely]] return locate_flat();
  locate_one(first, objects_[0], names_[0]);
  if (!two_) return;
  locate_one(second, objects_[1], names_[1]);
  if (first.on_gpu == second.on_gpu) return make_lists_floats();
  refuse(false, std::string(names_[0]) + " is in " + memory_name(first) + ", " + names_[1] + " in " +
                    memory_name(second) + "; copy one of them");
}

/// Arrays of libraries for GPUs are flattened by these, others where they lie, or in a copy.
void vectors::locate_flat() {
  const auto flat = [](nb::handle x) {
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(x.ptr()));
    if (is_numpy_array(x.ptr()) || !find_attribute(type, "__cuda_array_interface__").is_valid()) return nb::borrow(x);
    const nb::object dimensions = find_attribute(x.ptr(), "ndim");
    if (!dimensions.is_valid() || dimensions.equal(nb::int_(1))) return nb::borrow(x);
    return nb::object(x.attr("reshape")(-1));
  };
  flat_ = nb::make_tuple(flat(objects_[0]), flat(objects_[1]));
  for (int i = 0; i < 2; ++i) objects_[i] = NB_TUPLE_GET_ITEM(flat_.ptr(), i);
  flattens = false;
  locate();
  first.make_vector(), second.make_vector();
}

/// A list has the exact result of its numbers: its integers have no type that the other input's floats could clash
/// with.
void vectors::make_lists_floats() {
  if (first.holds_exact_numbers || second.holds_exact_numbers) return;
  if (is_integer(first.type) == is_integer(second.type)) return;
  imported_array& integers = is_integer(first.type) ? first : second;
  if (!integers.is_list) return;
  try {
    integers.read_as_floats();
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, std::string(&integers == &first ? names_[0] : names_[1]) + ": " + refused.reason);
  }
}

void vectors::broadcast_second() {
  const std::vector<axis> to = first.all_axes();
  std::vector<axis> from = second.all_axes();
  const std::string name = names_[1];
  if (from.size() > to.size()) refuse(false, name + " has more dimensions than " + names_[0]);
  from.insert(from.begin(), to.size() - from.size(), axis{1, 0});
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (from[i].n != 1 && from[i].n != to[i].n) refuse(false, name + " does not broadcast to the shape of " + names_[0]);
    if (from[i].n == 1) from[i] = {to[i].n, 0};
  }
  second.n = first.n, second.dimensions = first.dimensions;
  second.stride = from.size() == 1 ? from[0].stride : 0;
  second.axes = std::move(from);
}

void vectors::check_dimensions() const {
  for (const imported_array* array : {&first, &second}) {
    if (array->dimensions == 1) continue;
    refuse(false, std::string(names_[array == &first ? 0 : 1]) + ": has no dimension; use a 1-D array");
  }
}

void vectors::check_types() const {
  if (mixes_types || is_integer(first.type) == is_integer(second.type)) return;
  refuse(true, std::string(names_[0]) + " holds " + std::string(name_of(first.type)) + ", " + names_[1] + " " +
                   std::string(name_of(second.type)) +
                   "; convert one, as integers and floating-point numbers do not mix");
}

void vectors::check() const {
  if (!two_) return;
  check_dimensions();
  check_types();
  if (first.n != second.n) {
    refuse(false, "the vectors differ in length: " + std::to_string(first.n) + " and " + std::to_string(second.n));
  }
}

void vectors::check_devices() const {
  if (!two_ || first.device == second.device) return;
  refuse(false, std::string(names_[0]) + " is on " + gpu_name(first) + ", " + names_[1] + " on " +
                    gpu_name(second) + "; copy one of them");
}

void vectors::import_array(imported_array& array, const char* name, const stream_choice& stream) const {
  if (array.device < 0) find_device(array, caller_);
  try {
    array.import_on(stream.handle);
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, std::string(name) + ": " + refused.reason);
  }
  if (array.is_torch && stream.framework != "torch") array.producer_stream = torch_stream(array.device);
  if (array.producer_stream >= 0) order_after_producer(array, stream.handle);
}

stream_choice vectors::import_on_gpu(imported_array* out, const options& options, nb::handle stream_given) {
  imported_array* const other = two_ ? &second : nullptr;
  const auto refuse_device = [&](const std::string& device) {
    refuse(false, "device is " + device + ", but " + names_[0] + " is in the memory of " + gpu_name(first));
  };
  for (imported_array* array : {&first, other, out}) {
    if (array != nullptr && array->device < 0) find_device(*array, caller_);
  }
  if (options.device == device::cpu) refuse_device("cpu");
  if (options.device == device::cuda && options.device_index != first.device) {
    refuse_device("cuda:" + std::to_string(options.device_index));
  }
  const auto stream = choose_stream(stream_given, {out, &first, other}, caller_);
  import_array(first, names_[0], stream);
  if (other != nullptr) import_array(*other, names_[1], stream);
  if (out != nullptr) import_array(*out, "out", stream);
  check_devices();
  return stream;
}

}  // namespace exactdot::python
