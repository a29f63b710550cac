// Implementation of grid_reduce.hpp.
#include <algorithm>
#include <exactdot/batches.hpp>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>

namespace exactdot::python {
namespace {

/// Axes of both inputs that the results have, and those of the elements.
struct paired_axes {
  divided_axes a;
  std::vector<axis> results_of_b, elements_of_b;
};

element_type result_type(const grid_call& call) {
  if (!call.dtype.is_none()) return read_dtype(call.dtype, call.caller);
  const imported_array* const b = call.inputs.other();
  return default_result_type(call.what, call.inputs.first.type, b != nullptr ? b->type : call.inputs.first.type);
}

/// Where results go: a new array, or `out`.
struct result_array {
  nb::object object;
  imported_array imported;
};
void make_results(const grid_call& call, const std::vector<std::size_t>& shape, result_array& made) {
  made.imported.takes_any_shape = true;
  if (call.out.is_none()) {
    made.object = new_array(call.inputs.first.object, shape, result_type(call), call.caller);
    made.imported.locate(made.object.ptr());
  } else {
    made.object = nb::borrow(call.out);
    locate_out(call.out, call.inputs, made.imported);
    check_out_type(call.dtype, call.inputs, made.imported);
  }
}

/// The positions along the axes; half of the greatest size if there are more.
std::size_t positions(const std::vector<axis>& axes) {
  return engine::positions_of(axes).value_or(~std::size_t{0} / 2);
}

/// How much work a call is, in elements: all that are read, and some for each result. At most the greatest size.
std::size_t work_of(std::size_t results, std::size_t elements_of_result) {
  constexpr std::size_t cost_of_result = 64;
  std::size_t work = 0;
  const bool overflows = __builtin_mul_overflow(results, elements_of_result + cost_of_result, &work);
  return overflows ? ~std::size_t{0} : work;
}

/// A line of memory is read for each element whose neighbours lie further away than that.
std::size_t bytes_of_element(const std::vector<axis>& axes) {
  constexpr std::size_t page = 4096;
  std::size_t nearest = page;
  for (const axis& each : axes) {
    if (each.n > 1) nearest = std::min(nearest, static_cast<std::size_t>(std::abs(each.stride)));
  }
  return std::max(nearest, sizeof(double));
}

/// Computes the results into `to`.
void compute_results(const grid_call& call, const paired_axes& axes, const any_results& to) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  const any_grid first{a.data, a.type, axes.a.results, axes.a.elements, a.swapped};
  const std::size_t work = work_of(positions(axes.a.results), positions(axes.a.elements));
  const bool is_long = work >= min_long_call * sizeof(double) / bytes_of_element(a.all_axes());
  compute(work, is_long, call.chosen, [&](const options& chosen) {
    const any_grid second =
        b == nullptr ? first : any_grid{b->data, b->type, axes.results_of_b, axes.elements_of_b, b->swapped};
    detail::reduce_grid(call.what, first, second, to, chosen, call.ddof, call.caller);
  });
}

nb::object reduce(const grid_call& call, const paired_axes& axes) {
  if (call.out.is_none() && axes.a.shape.empty()) {
    any_scalar value{result_type(call), 0};
    compute_results(call, axes, {&value.bits, value.type, {}, false});
    return to_python(value);
  }
  result_array out;
  make_results(call, axes.a.shape, out);
  const std::vector<axis> places = places_of(out.imported, axes.a, call.caller);
  compute_results(call, axes, {out.imported.data, out.imported.type, places, out.imported.swapped});
  return out.object;
}

/// The axes that batches of both inputs share: aligned at the last, an axis of length 1 is repeated.
void broadcast(const grid_call& call, std::vector<axis>& a, std::vector<axis>& b) {
  const std::size_t count = std::max(a.size(), b.size());
  for (std::vector<axis>* axes : {&a, &b}) axes->insert(axes->begin(), count - axes->size(), axis{1, 0});
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i].n == b[i].n) continue;
    if (a[i].n != 1 && b[i].n != 1) call.inputs.refuse(false, "the axes beside the vectors' cannot be broadcast");
    const std::size_t n = a[i].n == 1 ? b[i].n : a[i].n;
    (a[i].n == 1 ? a[i] : b[i]) = {n, 0};
  }
}

/// The axes of results that two inputs share, and one axis of elements of each.
paired_axes paired(const grid_call& call, std::vector<axis> a, const axis& elements_of_a, std::vector<axis> b,
                   const axis& elements_of_b) {
  if (elements_of_a.n != elements_of_b.n) {
    call.inputs.refuse(false, "the vectors differ in length: " + std::to_string(elements_of_a.n) + " and " +
                                  std::to_string(elements_of_b.n));
  }
  broadcast(call, a, b);
  paired_axes axes{divide(a, std::vector<bool>(a.size(), false), false), std::move(b), {elements_of_b}};
  axes.a.elements = {elements_of_a};
  return axes;
}

/// Throws TypeError or ValueError unless the array holds integers of 32 or 64 bits in native byte order.
void locate_offsets(const grid_call& call, nb::handle given, imported_array& offsets) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    throw_python(is_type_error,
                 std::string(call.caller) + ": offsets: " + why + " (offsets is " + describe(given.ptr()) + ")");
  };
  try {
    offsets.locate(given.ptr(), conversion::by_numpy);
  } catch (const invalid_array& refused) {
    refuse(refused.is_type_error, refused.reason);
  }
  if (offsets.on_gpu) refuse(false, "lie in GPU memory, the vector in host memory");
  if (offsets.dimensions != 1) refuse(false, "has no dimension; use a 1-D array");
  if (offsets.n != 0 && (!is_integer(offsets.type) || size_of(offsets.type) < 4)) {
    refuse(true, "holds " + std::string(name_of(offsets.type)) + "; use integers of 32 or 64 bits");
  }
  if (offsets.swapped) refuse(false, "is not in native byte order");
}

}  // namespace

nb::object reduce_axes(const grid_call& call) {
  const imported_array& x = call.inputs.first;
  if (gives_index(call.what) && PyTuple_Check(call.axis.ptr())) {
    throw_python(true, std::string(call.caller) + ": axis is a tuple; use an integer or None");
  }
  return reduce(call,
                {divide(x.all_axes(), read_axes(call.axis, x.dimensions, call.caller), call.keepdims), {}, {}});
}

nb::object reduce_pairs(const grid_call& call) {
  call.inputs.check_types();
  const auto take_axis = [&](const imported_array& x, std::vector<axis>& rest) {
    if (x.dimensions == 0) call.inputs.refuse(false, "an input has no dimension");
    const nb::int_ last(-1);
    const auto reduced = read_axes(call.axis.is_none() ? nb::handle(last) : call.axis, x.dimensions, call.caller);
    const std::vector<axis> axes = x.all_axes();
    axis taken{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (reduced[i]) {
        taken = axes[i];
      } else {
        rest.push_back(axes[i]);
      }
    }
    return taken;
  };
  if (PyTuple_Check(call.axis.ptr()))
    throw_python(true, std::string(call.caller) + ": axis is a tuple; use an integer");
  std::vector<axis> a, b;
  const axis of_a = take_axis(call.inputs.first, a), of_b = take_axis(*call.inputs.other(), b);
  return reduce(call, paired(call, std::move(a), of_a, std::move(b), of_b));
}

nb::object reduce_matrix_vector(const grid_call& call) {
  call.inputs.check_types();
  std::vector<axis> a = call.inputs.first.all_axes(), b = call.inputs.other()->all_axes();
  if (a.size() < 2) call.inputs.refuse(false, "a has " + std::to_string(a.size()) + " dimensions; use a matrix");
  if (b.empty()) call.inputs.refuse(false, "b has no dimension; use a vector");
  const axis of_a = a.back(), of_b = b.back();
  a.pop_back(), b.pop_back();
  b.push_back({1, 0});  // beside the rows of the matrix
  return reduce(call, paired(call, std::move(a), of_a, std::move(b), of_b));
}

nb::object reduce_segments(const grid_call& call, nb::handle given) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  call.inputs.check();
  if (a.dimensions != 1) call.inputs.refuse(false, "x has no dimension; use a 1-D array");
  imported_array offsets;
  locate_offsets(call, given, offsets);
  if (offsets.n == 0) call.inputs.refuse(false, "there is no offset; n segments have n + 1");
  const std::size_t count = offsets.n - 1;
  result_array out;
  make_results(call, {count}, out);
  divided_axes divided;
  divided.shape = {count}, divided.is_result = {true};
  const std::vector<axis> places = places_of(out.imported, divided, call.caller);
  const std::size_t work = a.n + work_of(count, 0);
  compute(work, is_long_call(a, b) || work >= min_long_call, call.chosen, [&](const options& chosen) {
    detail::reduce_segments(call.what, a.view(), b != nullptr ? b->view() : a.view(),
                            {offsets.data, count, offsets.type, offsets.stride},
                            {out.imported.data, out.imported.type, places, out.imported.swapped}, chosen, call.ddof,
                            call.caller);
  });
  return out.object;
}

}  // namespace exactdot::python
