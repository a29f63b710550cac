// Implementation of given_filter.hpp.
#include <algorithm>
#include <python/src/given_filter.hpp>
#include <type_traits>
#include <utility>

namespace exactdot::python {
namespace {

/// A number of Python as an element of this type. Throws TypeError or ValueError unless it is one exactly.
any_scalar read_initial(nb::handle given, element_type type, const char* caller) {
  any_scalar read{type, 0};
  const bool holds = with_element(type, [&]<class T>(T) {
    T value{};
    if constexpr (std::is_integral_v<T>) {
      const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
      if (!index.is_valid()) return PyErr_Clear(), false;
      if constexpr (std::is_signed_v<T>) {
        const long long whole = PyLong_AsLongLong(index.ptr());
        value = static_cast<T>(whole);
        if (PyErr_Occurred() != nullptr || !std::in_range<T>(whole)) return PyErr_Clear(), false;
      } else {
        const unsigned long long whole = PyLong_AsUnsignedLongLong(index.ptr());
        value = static_cast<T>(whole);
        if (PyErr_Occurred() != nullptr || !std::in_range<T>(whole)) return PyErr_Clear(), false;
      }
    } else {
      const double number = PyFloat_AsDouble(given.ptr());
      if (number == -1 && PyErr_Occurred() != nullptr) return PyErr_Clear(), false;
      const core::result_rule rule(core::finish::round, core::format_of(type));
      value = core::from_word<T>(core::converted_word(rule, number));
      const nb::object as_float =
          nb::steal(PyFloat_FromDouble(number));  // which other numbers equal exactly, or not
      const int is_equal = number != number ? 1 : PyObject_RichCompareBool(as_float.ptr(), given.ptr(), Py_EQ);
      if (is_equal < 0) PyErr_Clear();
      if (is_equal != 1) return false;
      if (number == number && any_scalar{type, core::to_word(value)}.to_double() != number) return false;
    }
    read.bits = core::to_word(value);
    return true;
  });
  if (!holds) {
    throw_python(false, std::string(caller) + ": initial is " + text_of(given) + ", which is no " +
                            std::string(name_of(type)));
  }
  return read;
}

}  // namespace

const call_filter* given_filter::of(const vectors& inputs, bool adds) {
  if (inputs.on_gpu()) inputs.refuse(false, "where, skip_nan and initial are for arrays in host memory");
  if (adds)
    throw_python(true, std::string(caller_) + ": add_to with where or skip_nan; give skipped elements the key -1");
  if (!where_.is_none()) {
    mask_.takes_any_shape = true;
    try {
      mask_.locate(where_.ptr(), conversion::of_numbers);
    } catch (const invalid_array& refused) {
      inputs.refuse(refused.is_type_error, "where: " + refused.reason);
    }
    if (mask_.on_gpu) inputs.refuse(false, "where is in GPU memory");
    if (!mask_.is_boolean) {
      inputs.refuse(true, "where holds " + std::string(name_of(mask_.type)) + "; use booleans");
    }
    filter_.where = &mask_;
  }
  leave_out_nulls(inputs);
  if (initial_.is_none()) return &filter_;
  filter_.initial = read_initial(initial_, inputs.first.type, caller_);
  if (inputs.first.is_boolean && filter_.initial->bits > 1) {
    throw_python(false, std::string(caller_) + ": initial is " + text_of(initial_) + ", which is no bool");
  }
  return &filter_;
}

void given_filter::leave_out_nulls(const vectors& inputs) {
  const std::vector<axis> shape = inputs.first.all_axes();
  for (const imported_array* x : {&inputs.first, inputs.other()}) {
    if (x == nullptr || x->validity == nullptr) continue;
    const auto have_one_length = [](const axis& one, const axis& other) { return one.n == other.n; };
    if (!std::ranges::equal(x->all_axes(), shape, have_one_length)) {
      inputs.refuse(false, "a column with nulls beside an array of another shape; fill the nulls first");
    }
    if (valid_.empty()) valid_.assign(inputs.first.n, 1);
    for (std::size_t i = 0; i < valid_.size(); ++i) valid_[i] &= (*x->validity)[i];
  }
  if (valid_.empty()) return;
  if (filter_.where != nullptr) intersect(valid_, inputs, mask_);
  of_columns_.data = valid_.data(), of_columns_.n = valid_.size(), of_columns_.stride = 1;
  of_columns_.type = element_type::uint8, of_columns_.is_boolean = true;
  of_columns_.dimensions = static_cast<int>(shape.size()), of_columns_.axes = shape;
  std::ptrdiff_t next = 1;
  for (std::size_t i = shape.size(); i-- != 0; next *= static_cast<std::ptrdiff_t>(shape[i].n)) {
    of_columns_.axes[i].stride = next;
  }
  filter_.where = &of_columns_;
}

}  // namespace exactdot::python
