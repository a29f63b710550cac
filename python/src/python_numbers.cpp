// Implementation of python_numbers.hpp.
#include <bit>
#include <cmath>
#include <python/src/known_types.hpp>
#include <python/src/python_numbers.hpp>

namespace exactdot::python {
namespace {

enum class number_kind : unsigned char { none, signed_integer, unsigned_integer, floating };

/// Whether the integer is a double exactly: not beyond 2^53, or with enough zeros at its end.
bool is_double(std::int64_t value) {
  const std::uint64_t magnitude =
      value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return magnitude == 0 || std::bit_width(magnitude) - std::countr_zero(magnitude) <= 53;
}

std::uint64_t double_word(std::int64_t value) { return std::bit_cast<std::uint64_t>(static_cast<double>(value)); }

class number_reader {
 public:
  explicit number_reader(python_numbers& into) : into_(into) {}

  bool read(PyObject* object, int depth) {
    PyTypeObject* const type = Py_TYPE(object);
    if (type == &PyFloat_Type || is_numpy_double(type)) return is_leaf(depth) && add(PyFloat_AsDouble(object));
    if (type == &PyLong_Type || type == &PyBool_Type) {
      booleans_ += type == &PyBool_Type ? 1 : 0;
      return is_leaf(depth) && add_integer(object);
    }
    if (type == &PyList_Type) return read_items(object, depth, PyList_Size, PyList_GetItem);
    if (type == &PyTuple_Type) return read_items(object, depth, PyTuple_Size, PyTuple_GetItem);
    return false;
  }

  void finish() {
    into_.dimensions = leaf_depth_;
    into_.are_booleans = booleans_ != 0 && booleans_ == into_.words.size();
    if (kind_ == number_kind::signed_integer) into_.type = element_type::int64;
    if (kind_ == number_kind::unsigned_integer) into_.type = element_type::uint64;
    if (!into_.are_booleans) return;
    into_.type = element_type::uint8;  // as booleans in arrays
    auto* const bytes = reinterpret_cast<unsigned char*>(into_.words.data());
    for (std::size_t i = 0; i < into_.words.size(); ++i) bytes[i] = static_cast<unsigned char>(into_.words[i]);
  }

 private:
  /// numpy.float64, a subclass of float whose value PyFloat_AsDouble reads in place.
  bool is_numpy_double(PyTypeObject* type) const {
    return numpy_double_ != nullptr && reinterpret_cast<PyObject*>(type) == numpy_double_;
  }

  /// Whether the numbers before lie at this depth, too.
  bool is_leaf(int depth) {
    if (leaf_depth_ < 0) leaf_depth_ = depth;
    return leaf_depth_ == depth;
  }

  template <class Size, class Item>
  bool read_items(PyObject* object, int depth, Size size_of, Item item_of) {
    if (depth == python_numbers::max_dimensions || (leaf_depth_ >= 0 && depth >= leaf_depth_)) return false;
    const Py_ssize_t size = size_of(object);
    auto& length = into_.shape[static_cast<std::size_t>(depth)];
    if (depth < known_depth_ ? length != size : false) return false;
    if (depth >= known_depth_) length = size, known_depth_ = depth + 1;
    if (size == 0) return is_leaf(depth + 1);
    if (into_.words.empty()) into_.words.reserve(static_cast<std::size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* const item = item_of(object, i);
      const bool is_next_double =  // of a list of floats: without the checks of the first
          Py_TYPE(item) == &PyFloat_Type && kind_ == number_kind::floating && leaf_depth_ == depth + 1;
      if (is_next_double) {
        into_.words.push_back(std::bit_cast<std::uint64_t>(PyFloat_AsDouble(item)));
      } else if (!read(item, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool add(double value) {
    if (kind_ != number_kind::floating && !become_floating()) return false;
    into_.words.push_back(std::bit_cast<std::uint64_t>(value));
    return true;
  }

  /// The integers before become doubles.
  bool become_floating() {
    if (kind_ == number_kind::unsigned_integer) return false;
    for (std::uint64_t& word : into_.words) {
      const auto value = static_cast<std::int64_t>(word);
      if (!is_double(value)) return false;
      word = double_word(value);
    }
    kind_ = number_kind::floating;
    return true;
  }

  bool add_integer(PyObject* object) {
    int overflow = 0;
    const std::int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return overflow > 0 && add_unsigned(object);
    has_negative_ = has_negative_ || value < 0;
    if (kind_ == number_kind::floating) {
      if (!is_double(value)) return false;
      into_.words.push_back(double_word(value));
      return true;
    }
    if (kind_ == number_kind::unsigned_integer && value < 0) return false;
    if (kind_ == number_kind::none) kind_ = number_kind::signed_integer;
    into_.words.push_back(static_cast<std::uint64_t>(value));
    return true;
  }

  bool add_unsigned(PyObject* object) {
    if (kind_ == number_kind::floating || has_negative_) return false;
    const std::uint64_t value = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    kind_ = number_kind::unsigned_integer;
    into_.words.push_back(value);
    return true;
  }

  python_numbers& into_;
  PyObject* const numpy_double_ = numpy_float64();
  number_kind kind_ = number_kind::none;
  int leaf_depth_ = -1;  // of the numbers; -1: none yet
  int known_depth_ = 0;  // dimensions whose length is known
  std::size_t booleans_ = 0;
  bool has_negative_ = false;
};

}  // namespace

bool read_python_numbers(PyObject* source, python_numbers& into) {
  number_reader reader(into);
  if (!reader.read(source, 0)) return false;
  reader.finish();
  return true;
}

}  // namespace exactdot::python
