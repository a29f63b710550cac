// Python's own numbers as elements: a float, an int or a bool, or lists and tuples of them, nested to one shape.
//
// Only exact types are read, by functions of Python's limited API: no Python code runs, so nothing changes
// meanwhile, and nothing is imported or searched for. Floats are float64; ints are int64, or uint64 if that holds
// all; ints beside floats are float64 if each is a float exactly. Everything else is left to exactdot/_numbers.py.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <exactdot/element.hpp>
#include <vector>

namespace exactdot::python {

struct python_numbers {
  static constexpr int max_dimensions = 8;

  element_type type = element_type::float64;  ///< that of nothing is NumPy's
  bool are_booleans = false;                  ///< all of them; the type is uint8
  int dimensions = 0;
  std::array<std::int64_t, max_dimensions> shape;
  std::vector<std::uint64_t> words;  ///< memory of the elements, in C order
};

/// Reads `source`. Returns false for other objects, lists of unequal lengths and numbers that no one type holds.
/// Cost: a few nanoseconds an element.
bool read_python_numbers(PyObject* source, python_numbers& into);

}  // namespace exactdot::python
