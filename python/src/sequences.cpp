// Implementation of sequences.hpp.
#include <python/src/gil.hpp>
#include <python/src/sequences.hpp>

namespace exactdot::python {

sequence_items::sequence_items(nanobind::handle source) {
  const finalization_guard guard;
  items_ = nanobind::steal(PySequence_Tuple(source.ptr()));
  if (!items_.is_valid()) throw nanobind::python_error();
  size_ = static_cast<std::size_t>(PyTuple_Size(items_.ptr()));
}

nanobind::handle sequence_items::operator[](std::size_t i) const {
  return PyTuple_GetItem(items_.ptr(), static_cast<Py_ssize_t>(i));
}

}  // namespace exactdot::python
