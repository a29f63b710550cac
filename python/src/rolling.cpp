// Implementation of rolling.hpp.
#include <cpu/environment.hpp>
#include <cpu/rolling.hpp>
#include <plan/axes.hpp>
#include <plan/plan.hpp>
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

/// Windows along an axis of every line of an array.
void roll_lines(const cpu_engine::rolling_request& asked, const imported_array& x, const imported_array& out,
                std::size_t along) {
  const std::vector<axis> from = x.all_axes(), to = out.all_axes();
  const cpu_engine::standard_arithmetic environment;
  std::size_t lines = 1;
  for (std::size_t i = 0; i < from.size(); ++i) lines *= i == along ? 1 : from[i].n;
  for (std::size_t line = 0; line < lines; ++line) {
    std::ptrdiff_t of_x = 0, of_out = 0;
    for (std::size_t i = from.size(), left = line; i-- != 0;) {
      if (i == along) continue;
      const auto place = static_cast<std::ptrdiff_t>(left % from[i].n);
      of_x += place * from[i].stride, of_out += place * to[i].stride, left /= from[i].n;
    }
    cpu_engine::roll(
        asked, {static_cast<const char*>(x.data) + of_x, from[along].n, x.type, from[along].stride, x.swapped},
        {static_cast<char*>(out.data) + of_out, to[along].n, out.type, to[along].stride, out.swapped});
  }
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
  const bool is_whole = made.type == element_type::int64 || made.type == element_type::uint64;
  if (is_integer(made.type) && !(are_prefixes && is_integer(x.type) && is_whole)) {
    inputs.refuse(false, "the result type is " + std::string(name_of(made.type)) + "; use " +
                             (are_prefixes && is_integer(x.type) ? "int64, uint64 or a floating-point type"
                                                                 : "a floating-point type"));
  }
  if (const auto extent = engine::extent_of(made.data, made.all_axes(), {}, size_of(made.type));
      extent && x.n != 0) {
    if (engine::may_overlap(x.data, x.all_axes(), {}, size_of(x.type), reinterpret_cast<const void*>(extent->begin),
                            extent->end - extent->begin)) {
      inputs.refuse(false, "out shares memory with x; pass another array");
    }
  }
  if (!engine::are_separate(made.all_axes(), size_of(made.type))) {
    inputs.refuse(false, "results would overwrite each other; check the strides of out");
  }
  if (x.n == 0) return finished(call);
  constexpr std::size_t unbounded = ~std::size_t{0} / 2, cost_of_element = 256;  // of sums, where no bound decides
  compute(x.n, x.n >= min_long_call / cost_of_element, call.chosen, [&](const options& chosen) {
    const cpu_engine::rolling_request asked{
        call.caller, reduced, are_prefixes ? unbounded : window, min_count, ddof, skips_nan, chosen.monitor};
    if (!is_flat) return roll_lines(asked, x, made, along);
    const std::vector<std::byte> elements = flattened(x);
    const std::ptrdiff_t step = made.all_axes()[0].stride;
    const cpu_engine::standard_arithmetic environment;
    cpu_engine::roll(asked, {elements.data(), x.n, x.type}, {made.data, made.n, made.type, step, made.swapped});
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
