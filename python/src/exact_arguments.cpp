// The readers of arguments that the package's modules in Python call, so that arguments mean the same there.
#include <python/src/arguments.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/state_arrays.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// A float for a fraction, otherwise an int.
nb::object ddof_number(nb::handle ddof, nb::handle correction, const char* caller) {
  const ddof_value read = read_ddof(ddof, correction, caller);
  return read.fractional != 0 ? nb::object(nb::float_(read.fractional)) : nb::object(nb::int_(read.whole));
}

/// The axes that are reduced, in ascending order.
nb::tuple axis_numbers(nb::handle given, int dimensions, const char* caller) {
  const std::vector<bool> reduced = read_axes(given, dimensions, caller);
  nb::list numbers;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) numbers.append(i);
  }
  return nb::tuple(numbers);
}

/// Throws unless they can be the keys or offsets of an array in host memory.
void check_integers_in_host_memory(nb::handle given, const char* name, const char* caller) {
  vectors inputs(caller, given, name);
  result_array none;
  const grid_call call{.caller = caller,
                       .what = reduction::sum,
                       .inputs = inputs,
                       .chosen = {},
                       .ddof = 0,
                       .axis = {},
                       .dtype = {},
                       .out = {},
                       .keepdims = false,
                       .type = element_type::float64,
                       .results = none};
  imported_array array;
  const bool are_keys = std::string_view(name) == "keys";
  locate_integers(call, are_keys ? integer_role::keys : integer_role::offsets, given, array);
}

/// An array that was computed here, in the memory of the host or of one that NumPy reads.
nb::object read_for_numpy(nb::handle given, const char* caller) {
  vectors inputs(caller, given, "x");
  inputs.first.takes_any_shape = true;
  inputs.locate();
  return inputs.on_gpu() ? nb::module_::import_("numpy").attr("asarray")(given) : inputs.first.for_numpy();
}

}  // namespace

void bind_exact_arguments(nb::module_& module) {
  const auto any = nb::arg().none();
  const nb::arg plain;
  module.def("_read_ddof", ddof_number, any, any, plain);
  module.def("_read_axes", axis_numbers, any, plain, plain);
  module.def("_read_count", read_count, any, plain, plain);
  module.def("_read_for_numpy", read_for_numpy, any, plain);
  module.def("_check_integers", check_integers_in_host_memory, any, plain, plain);
}

}  // namespace exactdot::python
