// Implementation of narrow_results.hpp.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exactdot/error.hpp>
#include <python/src/gil.hpp>
#include <python/src/narrow_results.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <utility>

namespace exactdot::python {
namespace {

template <class T>
std::string range_of() {
  return std::to_string(+std::numeric_limits<T>::min()) + " to " + std::to_string(+std::numeric_limits<T>::max());
}

/// name(): "the result", or which of several.
template <class Name>
any_scalar narrowed_at(const char* caller, const any_scalar& value, element_type type, const Name& name) {
  any_scalar result{type, 0};
  const bool is_signed_value = is_signed(value.type);
  with_element(type, [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      const auto negative = static_cast<std::int64_t>(value.bits);
      const bool fits = is_signed_value ? std::in_range<T>(negative) : std::in_range<T>(value.bits);
      if (!fits) {
        const std::string text = is_signed_value ? std::to_string(negative) : std::to_string(value.bits);
        throw error(errc::overflow, std::string(caller) + ": " + name() + " is " + text + ", and " +
                                        std::string(name_of(type)) + " holds " + range_of<T>() +
                                        "; use dtype=\"int64\"");
      }
      result.bits = core::to_word(static_cast<T>(negative));
    }
  });
  return result;
}

/// Calls step(index, offset in bytes) for every place of an array, in C order.
template <class Step>
void for_places(const std::vector<axis>& axes, const Step& step) {
  std::vector<std::size_t> index(axes.size());
  std::ptrdiff_t offset = 0;
  if (std::ranges::any_of(axes, [](const axis& each) { return each.n == 0; })) return;
  for (;;) {
    step(index, offset);
    std::size_t i = axes.size();
    for (; i-- != 0;) {
      offset += axes[i].stride;
      if (++index[i] < axes[i].n) break;
      offset -= static_cast<std::ptrdiff_t>(index[i]) * axes[i].stride, index[i] = 0;
    }
    if (i == ~std::size_t{0}) return;
  }
}

std::string text_of_index(const std::vector<std::size_t>& index) {
  if (index.empty()) return "the result";
  std::string text = "the result at index ";
  for (std::size_t i = 0; i < index.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return text;
}

std::string text_of_shape(const std::vector<axis>& axes) {
  std::string text = "(";
  for (const axis& each : axes) text += (text.size() == 1 ? "" : ", ") + std::to_string(each.n);
  return text + (axes.size() == 1 ? ",)" : ")");
}

/// Whether two places of an array may share bytes.
bool may_overlap(const imported_array& array) {
  std::vector<axis> axes = array.all_axes();
  std::erase_if(axes, [](const axis& each) { return each.n <= 1; });
  std::ranges::sort(axes, {}, [](const axis& each) { return std::abs(each.stride); });
  auto extent = static_cast<std::ptrdiff_t>(size_of(array.type));
  for (const axis& each : axes) {
    if (std::abs(each.stride) < extent) return array.n != 0;
    extent += std::abs(each.stride) * static_cast<std::ptrdiff_t>(each.n - 1);
  }
  return false;
}

/// `out`, with a place for each result: of their shape, or for one result of one element.
void check_shape(const reduction_call& call, const imported_array& out, const std::vector<axis>& results) {
  const std::vector<axis> axes = out.all_axes();
  if (std::ranges::equal(axes, results, {}, &axis::n, &axis::n)) return;
  if (results.empty() && out.n == 1 && axes.size() == 1) return;
  throw_python(false, std::string(call.inputs.caller()) + ": out has shape " + text_of_shape(axes) +
                          ", the results have " + text_of_shape(results));
}

/// An array of a library in another type: by the library's astype, as the array API standard names it, or by the
/// array's. PyTorch's have neither.
nb::object converted(const nb::object& array, element_type type, const char* caller) {
  const std::string name(name_of(type));
  if (way_in_of(array.ptr()) == way_in::torch)
    return array.attr("to")(nb::module_::import_("torch").attr(name.c_str()));
  if (is_numpy_array(array.ptr())) return array.attr("astype")(name);
  if (nb::hasattr(array, "__array_namespace__")) {
    const nb::object library = array.attr("__array_namespace__")();
    if (nb::hasattr(library, "astype") && nb::hasattr(library, name.c_str()))
      return library.attr("astype")(array, library.attr(name.c_str()));
  }
  if (nb::hasattr(array, "astype")) return array.attr("astype")(name);
  throw_python(true, std::string(caller) + ": results are " + describe(array.ptr()) +
                         ", whose library converts none to " + name + "; pass out, or no dtype");
}

}  // namespace

void refuse_booleans(const reduction_call& call, const imported_array& out) {
  if (out.is_boolean)
    throw_python(false, std::string(call.inputs.caller()) + ": out holds bool; use integers or floats");
}

any_scalar narrowed(const reduction_call& call, const any_scalar& value, element_type type) {
  return narrowed_at(call.inputs.caller(), value, type, [] { return std::string("the result"); });
}

nb::object narrowed_results(const reduction_call& call, element_type type, const result_array& target,
                            bool keepdims,
                            const std::function<nb::object(const reduction_call&, result_array&)>& compute) {
  const char* const caller = call.inputs.caller();
  const bool has_out = !call.out.is_none();
  if (has_out) check_out_type(call.dtype, call.inputs, target.imported), refuse_booleans(call, target.imported);
  const nb::str wide_type(std::string(name_of(default_type(call))).c_str());
  reduction_call wide = call;
  wide.dtype = wide_type, wide.out = Py_None, wide.as_array = true;
  result_array made;
  made.imported.takes_any_shape = true;
  const nb::object results = compute(wide, made);
  const imported_array& of = made.imported;
  const std::vector<axis> axes = of.all_axes();
  if (has_out) check_shape(call, target.imported, axes);
  if (has_out && may_overlap(target.imported))
    throw_python(false, std::string(caller) + ": results would overwrite each other; check the strides of out");
  std::vector<any_scalar> found;
  found.reserve(of.n);
  for_places(axes, [&](const std::vector<std::size_t>& index, std::ptrdiff_t offset) {
    any_scalar value{of.type, 0};
    std::memcpy(&value.bits, static_cast<const char*>(of.data) + offset, sizeof value.bits);
    found.push_back(narrowed_at(caller, value, type, [&] { return text_of_index(index); }));
  });
  if (!has_out) {
    if (axes.empty() && !call.as_array && !keepdims) return to_python(found.front());
    const finalization_guard guard;
    return converted(results, type, caller);
  }
  auto next = found.begin();
  for_places(target.imported.all_axes(),
             [&](const auto&, std::ptrdiff_t offset) { store(*next++, target.imported, offset); });
  return nb::borrow(call.out);
}

}  // namespace exactdot::python
