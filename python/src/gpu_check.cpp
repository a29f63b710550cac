// check(x): the errors that stream-ordered calls could not raise.
#include <python/src/arguments.hpp>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/gpu_check.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {
namespace {

void check_call(nb::handle x, nb::handle stream_given) {
  vectors inputs("check", x, "x");
  inputs.first.takes_any_shape = true;
  const finalization_guard guard;
  inputs.locate();
  if (!inputs.on_gpu()) return inputs.refuse_stream(stream_given);
  const stream_choice stream = inputs.import_on_gpu(nullptr, {}, stream_given);
  gpu_check(inputs.first.device, stream);
}

}  // namespace

PyObject* check_entry(PyObject*, PyObject* arguments, PyObject* keywords) {
  const char* names[] = {"x", "stream", nullptr};
  PyObject* x = nullptr;
  PyObject* stream = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$O:check", const_cast<char**>(names), &x, &stream) == 0) {
    return nullptr;
  }
  try {
    check_call(x, stream);
    return nb::none().release().ptr();
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

}  // namespace exactdot::python
