// Implementation of column_keys.hpp; exactdot/_keys.py reads the columns.
#include <python/src/column_keys.hpp>
#include <python/src/gil.hpp>
#include <python/src/given_arguments.hpp>
#include <python/src/known_types.hpp>

namespace exactdot::python {
namespace {

/// Objects that are no columns, as almost all keys are.
bool is_plain(PyObject* keys) {
  if (is_numpy_array(keys) || PyList_CheckExact(keys) != 0 || PyTuple_CheckExact(keys) != 0) return true;
  const way_in way = way_in_of(keys);
  return way == way_in::torch || way == way_in::buffer || way == way_in::time;
}

}  // namespace

nb::object read_column_keys(const reduction_function& function, call_arguments& given) {
  PyObject** const places = given.inputs + function.signature.inputs;
  if (is_plain(places[0])) return {};
  const finalization_guard guard;
  const char* const caller = function.signature.name;
  const nb::handle groups = places[1] != nullptr ? nb::handle(places[1]) : nb::handle(Py_None);
  nb::object read =
      nb::module_::import_("exactdot._keys")
          .attr("integers_of")(caller, nb::handle(places[0]), groups, is_true(given, skip_parameter, caller));
  if (read.is_none()) return {};
  places[0] = NB_TUPLE_GET_ITEM(read.ptr(), 0), places[1] = NB_TUPLE_GET_ITEM(read.ptr(), 1);
  return read;
}

}  // namespace exactdot::python
