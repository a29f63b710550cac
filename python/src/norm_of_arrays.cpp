// Implementation of norm_of_arrays.hpp.
#include <algorithm>
#include <deque>
#include <map>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/host_call.hpp>
#include <python/src/norm_of_arrays.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <run/exact_state.hpp>

namespace exactdot::python {
namespace {

using engine::exact_state;

struct list_of_arrays {
  list_of_arrays(const list_call& call, nb::handle first_item, const char* name)
      : first(call.caller, first_item, name) {}

  vectors first;
  std::deque<imported_array> others;

  [[nodiscard]] std::size_t count() const { return others.size() + 1; }
  [[nodiscard]] imported_array& at(std::size_t i) { return i == 0 ? first.first : others[i - 1]; }
};

/// What a pass over the list yields, in a tuple of its own: a subclass may yield anything, and an item's methods
/// may change the list. The arrays live as long as the call.
nb::object items_of(nb::handle x) {
  const finalization_guard guard;
  nb::object items = nb::steal(PySequence_Tuple(x.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  return items;
}

std::string name_of_item(std::size_t i) { return "x[" + std::to_string(i) + "]"; }

void locate_items(const list_call& call, const nb::object& items, list_of_arrays& list) {
  list.first.first.takes_any_shape = true;
  list.first.locate();
  for (Py_ssize_t i = 1; i < NB_TUPLE_GET_SIZE(items.ptr()); ++i) {
    const std::string name = name_of_item(static_cast<std::size_t>(i));
    PyObject* const item = NB_TUPLE_GET_ITEM(items.ptr(), i);
    const auto refuse = [&](bool is_type_error, const std::string& why) {
      throw_python(is_type_error, std::string(call.caller) + ": " + name + why + " (" + name + " is " +
                                      describe(item) + "; " + list.first.description() + ")");
    };
    imported_array& array = list.others.emplace_back();
    array.takes_any_shape = true;
    try {
      array.locate(item, conversion::of_numbers);
    } catch (const invalid_array& refused) {
      refuse(refused.is_type_error, ": " + refused.reason);
    }
    if (array.on_gpu != list.first.on_gpu()) {
      refuse(false,
             array.on_gpu ? " is in GPU memory, x[0] in host memory" : " is in host memory, x[0] in GPU memory");
    }
  }
}

stream_choice import_items(const list_call& call, list_of_arrays& list, imported_array* out) {
  const stream_choice stream = list.first.import_on_gpu(out, call.chosen, call.stream);
  for (std::size_t i = 1; i < list.count(); ++i) {
    list.first.import_array(list.at(i), name_of_item(i).c_str(), stream);
    if (list.at(i).device == list.at(0).device) continue;
    list.first.refuse(false, name_of_item(i) + " is on GPU " + std::to_string(list.at(i).device) +
                                 ", x[0] on GPU " + std::to_string(list.at(0).device));
  }
  return stream;
}

/// The element type of a result that no argument names. Throws TypeError unless one exact state serves all types.
element_type common_type(list_of_arrays& list) {
  const element_type type = list.at(0).type;
  element_type common = type;
  for (std::size_t i = 1; i < list.count(); ++i) {
    const element_type other = list.at(i).type;
    if (!detail::state_holds(type, other) || !detail::state_holds(other, type)) {
      list.first.refuse(true, name_of_item(i) + " holds " + std::string(name_of(other)) + ", x[0] " +
                                  std::string(name_of(type)) + ", which one exact sum does not hold; convert one");
    }
    common = default_result_type(reduction::sum, common, other);
  }
  return default_result_type(reduction::nrm2, common);
}

/// Appends vectors that together are the elements of an array: one, unless no one stride describes it.
void append_vectors(const imported_array& x, std::vector<any_vector>& to) {
  if (x.n == 0) return;
  auto* data = static_cast<char*>(x.data);
  std::vector<axis> axes = x.all_axes();
  std::erase_if(axes, [](const axis& each) { return each.n == 1; });
  for (axis& each : axes) {  // from the lowest address
    if (each.stride < 0) data += static_cast<std::ptrdiff_t>(each.n - 1) * each.stride, each.stride = -each.stride;
  }
  std::ranges::sort(axes, {}, [](const axis& each) { return -each.stride; });
  std::vector<axis> merged;
  for (const axis& each : axes) {
    if (!merged.empty() && merged.back().stride == static_cast<std::ptrdiff_t>(each.n) * each.stride) {
      merged.back() = {merged.back().n * each.n, each.stride};
    } else {
      merged.push_back(each);
    }
  }
  const axis inner = merged.empty() ? axis{1, static_cast<std::ptrdiff_t>(size_of(x.type))} : merged.back();
  if (!merged.empty()) merged.pop_back();
  for (std::size_t i = 0; i < x.n / inner.n; ++i) {
    std::size_t rest = i;
    std::ptrdiff_t offset = 0;
    for (std::size_t k = merged.size(); k-- != 0; rest /= merged[k].n) {
      offset += static_cast<std::ptrdiff_t>(rest % merged[k].n) * merged[k].stride;
    }
    to.push_back({data + offset, inner.n, x.type, inner.stride, x.swapped});
  }
}

/// The exact sum of all squares.
exact_state sum_of_all(const list_call& call, list_of_arrays& list, const stream_choice& stream) {
  std::map<element_type, std::vector<any_vector>> by_type;
  std::size_t elements = 0;
  for (std::size_t i = 0; i < list.count(); ++i) {
    append_vectors(list.at(i), by_type[list.at(i).type]);
    elements += list.at(i).n;
  }
  exact_state sum(list.at(0).type);
  for (const auto& [type, all] : by_type) {
    if (all.empty()) continue;
    if (list.first.on_gpu()) {
      sum.merge(exact_state(sum.type(), gpu_words_of_squares(all, type, list.at(0).device, stream)));
      continue;
    }
    exact_state squares(type);
    compute(elements, elements >= min_long_call, call.chosen, [&](const options& chosen) {
      squares.clear();  // the work may begin again
      for (const any_vector& each : all) squares.add(reduction::sum_of_squares, each, each, chosen);
    });
    sum.merge(exact_state(sum.type(), squares.words()));
  }
  return sum;
}

}  // namespace

bool is_list_of_arrays(nb::handle x) {
  const bool is_list = PyList_Check(x.ptr()) != 0;
  if ((!is_list && !PyTuple_Check(x.ptr())) || Py_SIZE(x.ptr()) == 0) return false;
  const nb::object first =  // which hasattr may remove from the list
      nb::borrow(is_list ? PyList_GetItem(x.ptr(), 0) : PyTuple_GetItem(x.ptr(), 0));
  if (PyFloat_CheckExact(first.ptr()) || PyLong_CheckExact(first.ptr()) || PyList_CheckExact(first.ptr()))
    return false;
  return nb::hasattr(first, "__dlpack__") || nb::hasattr(first, "__cuda_array_interface__");
}

nb::object norm_of_arrays(const list_call& call) {
  const nb::object items = items_of(call.x);
  const bool any = NB_TUPLE_GET_SIZE(items.ptr()) != 0;
  list_of_arrays list(call, any ? NB_TUPLE_GET_ITEM(items.ptr(), 0) : items.ptr(), any ? "x[0]" : "x");
  locate_items(call, items, list);
  imported_array out;
  if (!call.out.is_none()) locate_out(call.out, list.first, out);
  stream_choice stream;
  if (list.first.on_gpu()) {
    stream = import_items(call, list, call.out.is_none() ? nullptr : &out);
  } else {
    list.first.refuse_stream(call.stream);
  }
  const element_type type = common_type(list);
  const element_type wanted = call.dtype.is_none() ? type : read_dtype(call.dtype, call.caller);
  if (!call.out.is_none()) check_out(call.dtype, list.first, out);
  const element_type result = call.out.is_none() ? wanted : out.type;
  if (is_integer(result)) {
    list.first.refuse(false, "the result type is " + std::string(name_of(result)) + "; use a floating-point type");
  }
  const any_scalar norm = sum_of_all(call, list, stream).round(result, core::finish::root);
  if (call.out.is_none()) return to_python(norm);
  if (list.first.on_gpu()) {
    gpu_store(norm, out, stream);
  } else {
    store(norm, out);
  }
  return nb::borrow(call.out);
}

}  // namespace exactdot::python
