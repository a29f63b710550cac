// Implementation of group_reduce.hpp.
#include <cstdint>
#include <exactdot/batches.hpp>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/group_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/call_filter.hpp>
#include <python/src/result_array.hpp>

namespace exactdot::python {
namespace {

/// The keys with the number of groups that was passed, or that they need.
any_keys read_keys(const grid_call& call, const group_arguments& given, const imported_array& array) {
  const element_type type = array.n != 0 ? array.type : element_type::int64;  // that of an empty list is float64
  any_keys keys{array.data, array.n, type, array.stride, 0, given.skip_out_of_range, array.swapped};
  if (given.groups.ptr() != nullptr && !given.groups.is_none()) {
    keys.groups = static_cast<std::size_t>(read_count(given.groups, "groups", call.caller));
    return keys;
  }
  if (call.adds) {
    const imported_array& to = call.results.imported;
    if (to.dimensions == 0)
      throw_python(false, std::string(call.caller) + ": add_to has no dimension; groups lie along the first");
    keys.groups = to.all_axes().front().n;
    return keys;
  }
  if (array.on_gpu) {
    throw_python(false, std::string(call.caller) +
                            ": groups is missing; the greatest key is in GPU memory, so pass "
                            "the number of groups");
  }
  compute(array, nullptr, call.chosen,
          [&](const options& chosen) { keys.groups = detail::groups_of_keys(keys, chosen, call.caller); });
  return keys;
}

/// The axes of results and the first axis of both inputs.
paired_axes axes_of(const grid_call& call) {
  const imported_array* const b = call.inputs.other();
  if (call.inputs.first.dimensions == 0 || (b != nullptr && b->dimensions == 0)) {
    call.inputs.refuse(false, "an input has no dimension; keys go along the first");
  }
  std::vector<axis> axes = call.inputs.first.all_axes();
  const axis first = axes.front();
  axes.erase(axes.begin());
  std::vector<axis> mask;
  axis first_of_mask;
  if (call.filter != nullptr) {
    mask = axes_of_mask(call), first_of_mask = mask.front();
    mask.erase(mask.begin());
  }
  if (b == nullptr) return paired(call, axes, first, axes, first, std::move(mask), first_of_mask);
  call.inputs.check_types();
  std::vector<axis> others = b->all_axes();
  const axis first_of_b = others.front();
  others.erase(others.begin());
  return paired(call, std::move(axes), first, std::move(others), first_of_b, std::move(mask), first_of_mask);
}

}  // namespace

nb::object reduce_groups(const grid_call& call, const group_arguments& given) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  const paired_axes axes = axes_of(call);
  imported_array array;
  locate_integers(call, integer_role::keys, given.keys, array);
  const any_keys keys = read_keys(call, given, array);
  divided_axes divided = axes.a;
  divided.shape.insert(divided.shape.begin(), keys.groups);
  divided.is_result.insert(divided.is_result.begin(), true);
  make_results(call, divided.shape, result_type(call));
  const std::vector<axis> places = places_of(call.results.imported, divided, call.caller, call.name_of_out());
  const any_results to = results_at(call, places);
  const grid_pair of = grids_of(call, axes);
  if (call.stream != nullptr) {
    gpu_reduce_groups(gpu_batch_of(call, of, to, &array), keys, *call.stream);
    return finished(call);
  }
  const std::size_t columns = engine::positions_of(axes.a.results).value_or(~std::size_t{0} / 2);
  const std::size_t work = work_of(columns, array.n + keys.groups);
  compute(work, is_long_call(a, b) || work >= min_long_call, call.chosen, [&](const options& chosen) {
    if (call.filter != nullptr) {
      const element_filter filter = call.filter->with(axes.mask.results, axes.mask.elements);
      return detail::reduce_kept_groups(call.what, of.first, of.second, keys, filter, to, chosen, call.ddof,
                                        call.caller);
    }
    detail::reduce_groups(call.what, of.first, of.second, keys, to, chosen, call.ddof, call.caller);
  });
  return finished(call);
}

nb::object count_groups(const grid_call& call, const group_arguments& given) {
  const imported_array& array = call.inputs.first;
  check_integers(call, integer_role::keys, given.keys, array);
  const any_keys keys = read_keys(call, given, array);
  divided_axes divided;
  divided.shape = {keys.groups}, divided.is_result = {true};
  make_results(call, divided.shape, element_type::int64);
  const std::vector<axis> places = places_of(call.results.imported, divided, call.caller);
  const any_results to = results_at(call, places);
  if (call.stream != nullptr) {
    gpu_count_groups(gpu_batch_of(call, {}, to, nullptr), keys, *call.stream);
    return finished(call);
  }
  compute(array, nullptr, call.chosen,
          [&](const options& chosen) { detail::group_sizes(keys, to, chosen, call.caller); });
  return finished(call);
}

}  // namespace exactdot::python
