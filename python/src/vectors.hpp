// The vectors of a call: one or two, with their names, and all checks of them.
//
// All functions of the package share this code, so the same mistake gives the same message. A message begins with
// the function's name and ends with a description of the vectors. All functions are called with the GIL held.
#pragma once

#include <exactdot/options.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>
#include <span>
#include <vector>

namespace exactdot::python {

class vectors {
 public:
  /// One vector, which messages call `name`. An array without a dimension is one element.
  vectors(const char* caller, nb::handle x, const char* name);
  /// Two, of one dimension.
  vectors(const char* caller, nb::handle a, nb::handle b, const char* name_of_a = "a", const char* name_of_b = "b");

  /// Locates them. They must all be in host memory or all in GPU memory. Throws TypeError or ValueError; check() or
  /// import_on_gpu() follows.
  void locate();
  /// Checks dimensions, element types (floating-point and integer types do not mix), lengths and devices.
  void check() const;
  /// Of two inputs: floating-point and integer types do not mix. Throws TypeError.
  void check_types() const;
  /// Makes the second, which is located, an array of the shape of the first. Throws ValueError.
  void broadcast_second();
  /// For arrays in GPU memory, and `out` unless it is null: chooses the stream and imports all on it. Checks that
  /// the inputs are on one GPU, and not their shapes: check() or a check of axes follows.
  stream_choice import_on_gpu(imported_array* out, const options& options, nb::handle stream);
  /// Imports a further array in GPU memory, which messages call `name`.
  void import_array(imported_array& array, const char* name, const stream_choice& stream) const;
  /// Throws ValueError if a stream was passed for vectors in host memory.
  void refuse_stream(nb::handle stream) const;

  /// Throws TypeError or ValueError with a description of the vectors.
  [[noreturn]] void refuse(bool is_type_error, const std::string& why) const;

  [[nodiscard]] bool on_gpu() const { return first.on_gpu; }
  /// Null for one vector.
  [[nodiscard]] const imported_array* other() const { return two_ ? &second : nullptr; }
  [[nodiscard]] bool are_two() const { return two_; }
  [[nodiscard]] bool have_complex() const { return first.is_complex || second.is_complex; }
  [[nodiscard]] const char* caller() const { return caller_; }
  /// Of an argument, or null.
  [[nodiscard]] const plain_tensor* description_of(PyObject* object) const;
  /// "x is numpy.ndarray of float32, shape (3,)"
  [[nodiscard]] std::string description() const;

  imported_array first, second;
  std::span<const plain_tensor* const> described;  ///< set before locate(): PyTorch's descriptions of arguments
  bool flattens = false;     ///< set before locate(): arrays are vectors of their elements in the order of C
  bool mixes_types = false;  ///< integers and floating-point numbers may be the two inputs

 private:
  void locate_flat();
  void locate_one(imported_array& array, nb::handle object, const char* name);
  void make_lists_floats();
  void check_dimensions() const;
  void check_devices() const;

  const char* caller_;
  const char* names_[2];
  nb::handle objects_[2];
  nb::object flat_;  // what keeps them if they are flattened
  bool two_;
};

}  // namespace exactdot::python
