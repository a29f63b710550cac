// Implementation of rolling.hpp.
#include <exactdot/windows.hpp>
#include <plan/staging.hpp>
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/host_call.hpp>
#include <python/src/output.hpp>
#include <python/src/result_array.hpp>
#include <python/src/rolling.hpp>
#include <string>
#include <vector>

namespace exactdot::python {
namespace {

/// The axis along which windows move; the last one by default.
std::size_t axis_of(nb::handle given, const vectors& inputs) {
  const int dimensions = inputs.first.dimensions;
  if (dimensions == 0) inputs.refuse(false, "x has no dimension; use an array");
  const nb::int_ last(-1);
  refuse_several_axes(given, inputs.caller(), "an integer");
  const std::vector<bool> chosen =
      read_axes(given.is_none() ? nb::handle(last) : given, dimensions, inputs.caller());
  return static_cast<std::size_t>(std::ranges::find(chosen, true) - chosen.begin());
}

/// The elements of an array of any shape in the order of C, one after the other.
std::vector<std::byte> flattened(const imported_array& x) {
  const std::size_t size = size_of(x.type);
  std::vector<std::byte> elements(x.n * size + 1);
  const std::vector<axis> axes = x.all_axes();
  const axis inner = axes.empty() ? axis{1, 0} : axes.back();
  for (std::size_t first = 0; first < x.n; first += inner.n) {
    std::ptrdiff_t offset = 0;
    for (std::size_t i = axes.size(), left = first; i-- != 0; left /= axes[i].n) {
      offset += static_cast<std::ptrdiff_t>(left % axes[i].n) * axes[i].stride;
    }
    engine::copy_contiguous({static_cast<const char*>(x.data) + offset, inner.stride, x.type, x.swapped, false},
                            x.type, 0, inner.n, &elements[first * size]);
  }
  return elements;
}

/// `what`: a reduction's name in C++. A window of 0 is that of prefixes. Results of integers are integers for
/// prefixes.
nb::object rolling(const std::string& caller, const std::string& what, nb::handle given, std::size_t window,
                   std::size_t min_count, std::int64_t ddof, nb::handle axis, bool skips_nan, nb::handle dtype,
                   nb::handle given_out) {
  const bool are_prefixes = window == 0;
  vectors inputs(caller.c_str(), given, "x");
  inputs.first.takes_any_shape = true;
  inputs.locate();
  const imported_array& x = inputs.first;
  if (x.on_gpu) inputs.refuse(false, "windows are of arrays in host memory; copy x there");
  const reduction reduced = *reduction_named(what);
  const bool is_flat = are_prefixes && axis.is_none() && x.dimensions != 1;
  const std::size_t along = is_flat ? 0 : axis_of(axis, inputs);
  result_array results;
  results.imported.takes_any_shape = true;
  nb::handle out = given_out.ptr() == Py_Ellipsis ? nb::handle(Py_None) : given_out;
  if (!out.is_none()) {
    locate_out(out, inputs, results.imported);
    results.object = nb::borrow(out);
  }
  const element_type default_type = x.is_boolean && are_prefixes ? element_type::int64
                                    : are_prefixes               ? default_result_type(reduced, x.type)
                                    : is_integer(x.type)         ? element_type::float64
                                                                 : x.type;
  const grid_call call{.caller = caller.c_str(),
                       .what = reduced,
                       .inputs = inputs,
                       .chosen = {},
                       .ddof = ddof,
                       .axis = Py_None,
                       .dtype = dtype,
                       .out = out,
                       .keepdims = false,
                       .type = default_type,
                       .results = results};
  const std::vector<exactdot::axis> axes =
      is_flat ? std::vector<exactdot::axis>{{x.n, static_cast<std::ptrdiff_t>(size_of(x.type))}} : x.all_axes();
  const divided_axes shape = divide(axes, std::vector<bool>(axes.size(), false), false);
  make_results(call, shape.shape, result_type(call));
  const imported_array& made = results.imported;
  static_cast<void>(places_of(made, shape, call.caller));
  constexpr std::size_t cost_of_element = 256;  // of sums, where no bound decides
  compute(x.n, x.n >= min_long_call / cost_of_element, call.chosen, [&](const options& chosen) {
    detail::rolling how{call.caller, reduced, {window, min_count}, are_prefixes, {}, ddof};
    how.filter.skips_nan = skips_nan;
    const std::vector<std::byte> elements = is_flat ? flattened(x) : std::vector<std::byte>();
    std::vector<exactdot::axis> lines = axes, places = made.all_axes();
    const exactdot::axis elements_of_line = lines[along], places_of_line = places[along];
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(along));
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(along)), places.push_back(places_of_line);
    detail::roll(how,
                 {is_flat ? elements.data() : x.data, x.type, lines, {&elements_of_line, 1}, !is_flat && x.swapped},
                 {made.data, made.type, places, made.swapped}, chosen);
  });
  return finished(call);
}

}  // namespace

void bind_rolling(nb::module_& module) {
  const auto any = nb::arg().none();
  const nb::arg plain;
  module.def("_rolling", rolling, plain, plain, any, plain, plain, plain, any, plain, any, any);
}

}  // namespace exactdot::python
