// Implementation of grid_reduce.hpp.
#include <algorithm>
#include <exactdot/batches.hpp>
#include <exactdot/ratios.hpp>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/host_call.hpp>
#include <python/src/call_filter.hpp>
#include <python/src/number.hpp>
#include <python/src/result_array.hpp>

namespace exactdot::python {
namespace {

/// The positions along the axes; half of the greatest size if there are more.
std::size_t positions(std::span<const axis> axes) {
  return engine::positions_of(axes).value_or(~std::size_t{0} / 2);
}

/// A line of memory is read for each element whose neighbours lie further away than that.
std::size_t bytes_of_element(std::span<const axis> axes) {
  constexpr std::size_t page = 4096;
  std::size_t nearest = page;
  for (const axis& each : axes) {
    if (each.n > 1) nearest = std::min(nearest, static_cast<std::size_t>(std::abs(each.stride)));
  }
  return std::max(nearest, sizeof(double));
}

/// Computes the results into `to`, in host memory. places: of all elements of the first input.
void compute_results(const grid_call& call, const grid_pair& of, std::span<const axis> places,
                     const any_results& to, const divided_axes& mask = {}) {
  const std::size_t work = work_of(positions(of.first.results), positions(of.first.elements));
  const bool is_long = work >= min_long_call * sizeof(double) / bytes_of_element(places);
  compute(work, is_long, call.chosen, [&](const options& chosen) {
    if (call.filter != nullptr) {
      const element_filter filter = call.filter->with(mask.results, mask.elements);
      return detail::reduce_kept_grid(call.what, of.first, of.second, filter, to, chosen, call.ddof, call.caller);
    }
    detail::reduce_grid(call.what, of.first, of.second, to, chosen, call.ddof, call.caller);
  });
}

nb::object reduce(const grid_call& call, const paired_axes& axes) {
  const grid_pair of = grids_of(call, axes);
  if (call.out.is_none() && axes.a.shape.empty() && !call.keepdims && !call.as_array) {
    const element_type type = result_type(call);
    if (call.stream != nullptr) return to_python(gpu_reduce_grid(gpu_batch_of(call, of, {}, {}), type, *call.stream));
    std::uint64_t words[2] = {};
    compute_results(call, of, call.inputs.first.all_axes(), {words, type, {}, false}, axes.mask);
    return to_python(type, words);
  }
  make_results(call, axes.a.shape, result_type(call));
  const std::vector<axis> places = places_of(call.results.imported, axes.a, call.caller);
  const any_results to = results_at(call, places);
  if (call.stream != nullptr) {
    gpu_reduce_grid(gpu_batch_of(call, of, to, {}), *call.stream);
  } else {
    compute_results(call, of, call.inputs.first.all_axes(), to, axes.mask);
  }
  return finished(call);
}

/// A matrix times a vector in host memory, without the lists of axes, which take as long as a small product.
/// Nothing if this is another call.
nb::object multiply(const grid_call& call) {
  const imported_array &a = call.inputs.first, &b = *call.inputs.other();
  if (a.dimensions != 2 || b.dimensions != 1 || a.axes[1].n != b.n || call.stream != nullptr) return {};
  make_results(call, {a.axes[0].n}, result_type(call));
  const imported_array& out = call.results.imported;
  if (out.dimensions != 1 || out.n != a.axes[0].n) return {};
  const axis none{out.n, 0}, along{b.n, b.stride}, place{out.n, out.stride};
  const std::span<const axis> places = a.axes;
  const grid_pair of{{a.data, a.type, places.first(1), places.last(1), a.swapped},
                     {b.data, b.type, {&none, 1}, {&along, 1}, b.swapped}};
  compute_results(call, of, places, results_at(call, {&place, 1}));
  return finished(call);
}

}  // namespace

nb::object reduce_axes(const grid_call& call) {
  const imported_array& x = call.inputs.first;
  const imported_array* const other = call.inputs.other();
  if (gives_index(call.what)) refuse_several_axes(call.axis, call.caller, "an integer or None");
  const std::vector<bool> reduced = read_axes(call.axis, x.dimensions, call.caller);
  divided_axes divided = divide(x.all_axes(), reduced, call.keepdims);
  const bool is_extremum = gives_index(call.what) || gives_element(call.what);
  if (is_extremum && positions(divided.elements) == 0 && positions(divided.results) == 0) {  // as NumPy
    call.inputs.refuse(false, "the vectors are empty, so they have no least or greatest element");
  }
  if (call.filter == nullptr && other == nullptr) return reduce(call, {std::move(divided), {}, {}});
  divided_axes second = other != nullptr ? divide(other->all_axes(), reduced, false) : divided, mask;
  if (call.filter != nullptr) mask = divide(axes_of_mask(call), reduced, false);
  return reduce(call, {std::move(divided), std::move(second.results), std::move(second.elements), std::move(mask)});
}

namespace {

/// All elements of both arrays, which have one shape.
nb::object reduce_whole_pair(const grid_call& call) {
  const std::vector<axis> a = call.inputs.first.all_axes(), b = call.inputs.other()->all_axes();
  if (!std::ranges::equal(a, b, {}, &axis::n, &axis::n)) {
    call.inputs.refuse(false, "the shapes differ; name the axis along which the vectors lie");
  }
  const std::vector<bool> every(a.size(), true);
  paired_axes axes{divide(a, every, call.keepdims), {}, b};
  if (call.filter != nullptr) axes.mask = divide(axes_of_mask(call), every, false);
  return reduce(call, axes);
}

}  // namespace

nb::object reduce_pairs(const grid_call& call) {
  call.inputs.check_types();
  const bool is_ratio = core::info_of(call.what).is_ratio;
  if (is_ratio && call.axis.is_none()) return reduce_whole_pair(call);
  const imported_array &first = call.inputs.first, &second = *call.inputs.other();
  // one vector goes along the axis of the other array: weights, for one
  const auto take_axis = [&](const imported_array& x, const std::vector<axis>& axes, std::vector<axis>& rest) {
    if (x.dimensions == 0) call.inputs.refuse(false, "an input has no dimension");
    const nb::int_ last(-1);
    const bool goes_along = is_ratio && x.dimensions == 1 && first.dimensions + second.dimensions > 2;
    const auto reduced =
        read_axes(call.axis.is_none() || goes_along ? nb::handle(last) : call.axis, x.dimensions, call.caller);
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
  refuse_several_axes(call.axis, call.caller, "an integer");
  std::vector<axis> a, b, mask;
  const axis of_a = take_axis(first, first.all_axes(), a), of_b = take_axis(second, second.all_axes(), b);
  const axis of_mask = call.filter != nullptr ? take_axis(first, axes_of_mask(call), mask) : axis{};
  paired_axes axes = paired(call, std::move(a), of_a, std::move(b), of_b, std::move(mask), of_mask);
  if (call.keepdims) {
    const std::int64_t given = call.axis.is_none() ? -1 : read_integer(call.axis, "axis", call.caller);
    const auto count = static_cast<std::int64_t>(axes.a.shape.size());
    const auto at = static_cast<std::ptrdiff_t>(given < 0 ? count + 1 + given : given);
    axes.a.shape.insert(axes.a.shape.begin() + at, 1);
    axes.a.is_result.insert(axes.a.is_result.begin() + at, false);
  }
  return reduce(call, axes);
}

nb::object reduce_matrix(const grid_call& call, bool of_rows) {
  const imported_array& x = call.inputs.first;
  const std::vector<axis> axes = x.all_axes();
  if (axes.empty() || axes.size() > 2) {
    call.inputs.refuse(false, "x has " + std::to_string(axes.size()) + " dimensions; use a vector or a matrix");
  }
  const bool is_matrix = axes.size() == 2;
  const axis variables = is_matrix ? axes[of_rows ? 0 : 1] : axis{1, 0}, along = axes[is_matrix && of_rows ? 1 : 0];
  const any_grid of{x.data, x.type, {&variables, 1}, {&along, 1}, x.swapped};
  const auto compute_to = [&](const any_results& to) {
    const std::size_t work = work_of(variables.n * (variables.n + 1) / 2, along.n);
    compute(work, work >= min_long_call, call.chosen, [&](const options& chosen) {
      detail::reduce_matrix(call.what, of, to, chosen, call.ddof, call.caller);
    });
  };
  const std::vector<std::size_t> shape(is_matrix ? 2 : 0, variables.n);
  if (!is_matrix && call.out.is_none() && !call.as_array) {
    const axis one[] = {{1, 0}, {1, 0}};
    any_scalar value{result_type(call), 0};
    compute_to({&value.bits, value.type, one, false});
    return to_python(value);
  }
  make_results(call, shape, result_type(call));
  divided_axes results;
  results.shape = shape, results.is_result.assign(shape.size(), true);
  std::vector<axis> places = places_of(call.results.imported, results, call.caller);
  places.resize(2, axis{1, 0});
  compute_to(results_at(call, places));
  return finished(call);
}

nb::object reduce_matrix_vector(const grid_call& call) {
  call.inputs.check_types();
  if (nb::object product = multiply(call); product.is_valid()) return product;
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
  locate_integers(call, integer_role::offsets, given, offsets);
  if (offsets.n == 0) call.inputs.refuse(false, "there is no offset; n segments have n + 1");
  const std::size_t count = offsets.n - 1;
  make_results(call, {count}, result_type(call));
  divided_axes divided;
  divided.shape = {count}, divided.is_result = {true};
  const std::vector<axis> places = places_of(call.results.imported, divided, call.caller);
  const any_results to = results_at(call, places);
  const any_offsets segments{offsets.data, count, offsets.type, offsets.stride, offsets.swapped};
  const any_vector second = b != nullptr ? b->view() : a.view();
  if (call.stream != nullptr) {
    gpu_reduce_segments(gpu_batch_of(call, {}, to, &offsets), a.view(), second, segments, *call.stream);
    return finished(call);
  }
  const std::size_t work = a.n + work_of(count, 0);
  const std::vector<axis> mask = call.filter != nullptr ? axes_of_mask(call) : std::vector<axis>();
  compute(work, is_long_call(a, b) || work >= min_long_call, call.chosen, [&](const options& chosen) {
    if (call.filter != nullptr) {
      return detail::reduce_kept_segments(call.what, a.view(), second, segments, call.filter->with({}, mask), to,
                                          chosen, call.ddof, call.caller);
    }
    detail::reduce_segments(call.what, a.view(), second, segments, to, chosen, call.ddof, call.caller);
  });
  return finished(call);
}

}  // namespace exactdot::python
