// Implementation of grid_results.hpp.
#include <algorithm>
#include <python/src/arguments.hpp>
#include <python/src/grid_results.hpp>
#include <string>
#include <string_view>

namespace exactdot::python {
namespace {

constexpr const char* name_of_role(integer_role role) { return role == integer_role::keys ? "keys" : "offsets"; }

[[noreturn]] void refuse_integers(const grid_call& call, const char* name, nb::handle given, bool is_type_error,
                                  const std::string& why) {
  const bool are_keys = std::string_view(name) == "keys";
  const char* const hint =
      is_type_error && are_keys ? "; np.unique(keys, return_inverse=True) numbers any keys" : "";
  throw_python(is_type_error, std::string(call.caller) + ": " + name + ": " + why + hint + " (" + name + " is " +
                                  describe(given.ptr()) + ")");
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

}  // namespace

paired_axes paired(const grid_call& call, std::vector<axis> a, const axis& elements_of_a, std::vector<axis> b,
                   const axis& elements_of_b, std::vector<axis> mask, const axis& elements_of_mask) {
  if (elements_of_a.n != elements_of_b.n) {
    call.inputs.refuse(false, "the vectors differ in length: " + std::to_string(elements_of_a.n) + " and " +
                                  std::to_string(elements_of_b.n));
  }
  broadcast(call, a, b);
  paired_axes axes{divide(a, std::vector<bool>(a.size(), false), false), std::move(b), {elements_of_b}};
  axes.a.elements = {elements_of_a};
  mask.insert(mask.begin(), a.size() - mask.size(), axis{1, 0});  // its axes are those of the first input
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (mask[i].n == 1) mask[i] = {a[i].n, 0};
  }
  axes.mask.results = std::move(mask), axes.mask.elements = {elements_of_mask};
  return axes;
}

grid_pair grids_of(const grid_call& call, const paired_axes& axes) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  any_grid first{a.data, a.type, axes.a.results, axes.a.elements, a.swapped};
  first.conjugated = a.conjugated;
  if (b == nullptr) return {first, first};
  return {first, {b->data, b->type, axes.results_of_b, axes.elements_of_b, b->swapped}};
}

any_results results_at(const grid_call& call, std::span<const axis> places) {
  const imported_array& out = call.results.imported;
  return {out.data, out.type, places, out.swapped, call.out.is_none(), call.adds};
}

gpu_batch gpu_batch_of(const grid_call& call, const grid_pair& of, const any_results& to,
                       const imported_array* integers) {
  std::vector<const imported_array*> arrays{&call.inputs.first};
  if (call.inputs.other() != nullptr) arrays.push_back(call.inputs.other());
  if (call.results.object.is_valid()) arrays.push_back(&call.results.imported);
  if (integers != nullptr) arrays.push_back(integers);
  return {call.what, of.first, of.second, to, call.chosen, call.ddof, std::move(arrays), call.inputs.first.device};
}

element_type result_type(const grid_call& call) {
  return call.dtype.is_none() ? call.type : read_dtype(call.dtype, call.caller, call.choices, is_complex(call.type));
}

std::size_t work_of(std::size_t results, std::size_t elements_of_result) {
  constexpr std::size_t cost_of_result = 64;
  std::size_t work = 0;
  const bool overflows = __builtin_mul_overflow(results, elements_of_result + cost_of_result, &work);
  return overflows ? ~std::size_t{0} : work;
}

void check_integers(const grid_call& call, integer_role role, nb::handle given, const imported_array& array) {
  const char* const name = name_of_role(role);
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    refuse_integers(call, name, given, is_type_error, why);
  };
  if (array.on_gpu != call.inputs.on_gpu()) {
    refuse(false, array.on_gpu ? "lie in GPU memory, the vector in host memory"
                               : "lie in host memory, the vector in GPU memory");
  }
  if (array.on_gpu && array.device != call.inputs.first.device) {
    refuse(false, "lie on GPU " + std::to_string(array.device) + ", the vector on GPU " +
                      std::to_string(call.inputs.first.device));
  }
  if (array.dimensions != 1) refuse(false, "has no dimension; use a 1-D array");
  if (array.n == 0) return;
  const bool are_offsets = role == integer_role::offsets;
  if (!is_integer(array.type) || (are_offsets && array.is_boolean)) {
    refuse(true, "holds " + std::string(array.is_boolean ? "bool" : name_of(array.type)) + "; use integers");
  }
  if (!array.on_gpu) return;
  if (are_offsets && size_of(array.type) < 4) {
    refuse(true, "holds " + std::string(name_of(array.type)) + "; in GPU memory use integers of 32 or 64 bits");
  }
  if (array.swapped) refuse(false, "is not in the byte order of the GPU");
}

void locate_integers(const grid_call& call, integer_role role, nb::handle given, imported_array& array) {
  const char* const name = name_of_role(role);
  try {
    array.locate(given.ptr(), conversion::of_numbers);
    if (array.on_gpu && call.stream != nullptr) call.inputs.import_array(array, name, *call.stream);
  } catch (const invalid_array& refused) {
    refuse_integers(call, name, given, refused.is_type_error, refused.reason);
  }
  check_integers(call, role, given, array);
}

}  // namespace exactdot::python
