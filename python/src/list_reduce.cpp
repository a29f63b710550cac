// Implementation of list_reduce.hpp.
#include <algorithm>
#include <deque>
#include <exactdot/batches.hpp>
#include <exactdot/states.hpp>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/host_call.hpp>
#include <python/src/list_reduce.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <python/src/result_array.hpp>
#include <run/exact_state.hpp>

namespace exactdot::python {
namespace {

using engine::exact_state;

struct list_of_arrays {
  list_of_arrays(const list_call& call, nb::handle first_item, const char* name)
      : first(call.caller, first_item, name) {}

  vectors first;
  std::deque<imported_array> others;

  bool has_none = false;  ///< of arrays: `first` is then the list

  [[nodiscard]] std::size_t count() const { return has_none ? 0 : others.size() + 1; }
  [[nodiscard]] std::size_t elements() {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count(); ++i) n += at(i).n;
    return n;
  }
  [[nodiscard]] imported_array& at(std::size_t i) { return i == 0 ? first.first : others[i - 1]; }
};

/// What a pass over the list yields, in a tuple of its own: a subclass may yield anything, and an item's methods
/// may change the list. The arrays live as long as the call.
nb::object items_of(const list_call& call) {
  const finalization_guard guard;
  const nb::handle x = call.x;
  const bool is_array = nb::hasattr(x, "__dlpack__") || nb::hasattr(x, "__cuda_array_interface__");
  if (is_array || PyObject_CheckBuffer(x.ptr()) != 0) {
    throw_python(true, std::string(call.caller) + ": x is one array; pass a list of arrays (x is " +
                           describe(x.ptr()) + ")");
  }
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
    if (list.at(i).n == 0 || list.at(i).device == list.at(0).device) continue;
    list.first.refuse(false, name_of_item(i) + " is on GPU " + std::to_string(list.at(i).device) +
                                 ", x[0] on GPU " + std::to_string(list.at(0).device));
  }
  return stream;
}

/// The element type of a result that no argument names; of booleans, as of other calls, int8 for sums. Throws
/// TypeError unless one exact state serves all types.
element_type default_type(const list_call& call, list_of_arrays& list) {
  const auto type_of_item = [&](std::size_t i) {
    const imported_array& x = list.at(i);
    return x.is_boolean ? element_type::int8 : x.type;
  };
  const element_type type = list.at(0).type;
  element_type common = type_of_item(0);
  for (std::size_t i = 1; i < list.count(); ++i) {
    const element_type other = list.at(i).type;
    if (!detail::state_holds(type, other) || !detail::state_holds(other, type)) {
      list.first.refuse(true, name_of_item(i) + " holds " + std::string(name_of(other)) + ", x[0] " +
                                  std::string(name_of(type)) + ", which one exact sum does not hold; convert one");
    }
    common = default_result_type(reduction::sum, common, type_of_item(i));
  }
  return default_result_type(call.what, common);
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

/// The types of results, for messages.
const char* choices_of(const list_call& call) {
  return call.what == reduction::nrm2
             ? "float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2"
             : "int64, uint64, float16, bfloat16, float32, float64, float8_e4m3fn or float8_e5m2";
}

/// The reduction whose terms an exact state adds.
reduction terms_of(reduction what) { return what == reduction::nrm2 ? reduction::sum_of_squares : what; }

/// The exact sum of the terms of all arrays in host memory.
exact_state sum_on_host(const list_call& call, list_of_arrays& list) {
  const std::size_t elements = list.elements();
  const reduction terms = terms_of(call.what);
  std::vector<any_vector> all;
  for (std::size_t i = 0; i < list.count(); ++i) append_vectors(list.at(i), all);
  exact_state sum(list.at(0).type, call.caller);
  compute(elements, elements >= min_long_call, call.chosen, [&](const options& chosen) {
    sum.clear();  // the work may begin again
    for (std::size_t i = 0; i < all.size();) {
      exact_state of_type(all[i].type);
      for (const element_type type = all[i].type; i < all.size() && all[i].type == type; ++i) {
        of_type.add(terms, all[i], all[i], chosen);
      }
      sum.merge(exact_state(sum.type(), of_type.words()));
    }
  });
  return sum;
}

/// An array as a grid of one result.
struct whole_array {
  std::vector<axis> axes;
  any_grid grid;
  explicit whole_array(const imported_array& x) : axes(x.all_axes()), grid{x.data, x.type, {}, axes, x.swapped} {}
};

any_results result_at(const any_results& all, std::size_t i) {
  any_results one{all.data, all.type, {}, all.swapped};
  if (!all.axes.empty()) {
    one.data = static_cast<char*>(all.data) + static_cast<std::ptrdiff_t>(i) * all.axes[0].stride;
  }
  return one;
}

/// A result for each array in host memory.
void reduce_on_host(const list_call& call, list_of_arrays& list, const any_results& to) {
  const std::size_t elements = list.elements();
  std::deque<whole_array> arrays;
  for (std::size_t i = 0; i < list.count(); ++i) arrays.emplace_back(list.at(i));
  compute(elements, elements >= min_long_call, call.chosen, [&](const options& chosen) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const any_grid& x = arrays[i].grid;
      detail::reduce_grid(call.what, x, x, result_at(to, i), chosen, 0, call.caller);
    }
  });
}

/// The call of all arrays for a GPU. False if it does not take them.
bool make_gpu_list(const list_call& call, list_of_arrays& list, gpu_list& made) {
  const bool squares = terms_of(call.what) == reduction::sum_of_squares;
  made.what = call.what, made.device = list.at(0).device;
  std::size_t before = 0;
  for (std::size_t i = 0; i < list.count(); ++i) {
    const imported_array& x = list.at(i);
    made.arrays.push_back(&x);
    append_vectors(x, made.vectors);
    if (squares && is_integer(x.type) && size_of(x.type) == sizeof(std::uint64_t)) return false;
    if (made.vectors.size() - before > max_gpu_list) return false;
    if (call.joined) continue;
    made.ends.push_back(before = made.vectors.size());
  }
  if (call.joined) made.ends.push_back(made.vectors.size());
  return true;
}

/// The exact sum of all arrays in GPU memory, each by a launch: waits.
exact_state sum_of_each(const list_call& call, list_of_arrays& list, const stream_choice& stream) {
  exact_state sum(list.at(0).type, call.caller);
  for (std::size_t i = 0; i < list.count(); ++i) {
    const whole_array x(list.at(i));
    if (list.at(i).n == 0) continue;
    const auto words = gpu_words_of_grid(terms_of(call.what), x.grid, list.at(i).device, stream);
    sum.merge(exact_state(sum.type(), words));
  }
  return sum;
}

any_scalar rounded(const list_call& call, const exact_state& sum, element_type result) {
  return sum.round(result, call.what == reduction::nrm2 ? core::finish::root : core::finish::round);
}

/// One result, on the host, or in `out`.
nb::object reduce_joined(const list_call& call, list_of_arrays& list, imported_array& out,
                         const stream_choice& stream, element_type result) {
  const bool gives_number = call.out.is_none();
  any_scalar value{result, 0};
  if (list.first.on_gpu()) {
    gpu_list asked;
    if (make_gpu_list(call, list, asked)) {
      if (gives_number) return to_python(gpu_reduce_list(asked, result, stream));
      asked.out = {out.data, out.type, {}, false};
      asked.arrays.push_back(&out);
      gpu_reduce_list(asked, stream);
    } else {
      value = rounded(call, sum_of_each(call, list, stream), result);
      if (gives_number) return to_python(value);
      gpu_store(value, out, stream);
    }
    return nb::borrow(call.out);
  }
  value = rounded(call, sum_on_host(call, list), result);
  if (gives_number) return to_python(value);
  store(value, out);
  return nb::borrow(call.out);
}

/// A result for each array, in a new array or in `out`.
nb::object reduce_each(const list_call& call, list_of_arrays& list, result_array& results,
                       const stream_choice& stream, element_type type) {
  const bool on_gpu = list.first.on_gpu();
  const grid_call many{call.caller, call.what,       list.first, call.chosen, 0,       nb::none(),
                       call.dtype,  call.out,        false,      type,        results, on_gpu ? &stream : nullptr,
                       true,        choices_of(call)};
  make_results(many, {list.count()}, result_type(many));
  divided_axes divided;
  divided.shape = {list.count()}, divided.is_result = {true};
  const std::vector<axis> places = places_of(results.imported, divided, call.caller);
  const any_results to = results_at(many, places);
  if (list.count() == 0) return finished(many);
  if (!on_gpu) {
    reduce_on_host(call, list, to);
    return finished(many);
  }
  gpu_list asked;
  if (make_gpu_list(call, list, asked)) {
    asked.out = to;
    asked.arrays.push_back(&results.imported);
    gpu_reduce_list(asked, stream);
    return finished(many);
  }
  for (std::size_t i = 0; i < list.count(); ++i) {
    const whole_array x(list.at(i));
    gpu_reduce_grid({call.what,
                     x.grid,
                     x.grid,
                     result_at(to, i),
                     call.chosen,
                     0,
                     {&list.at(i), &results.imported},
                     list.at(0).device},
                    stream);
  }
  return finished(many);
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

nb::object reduce_list(const list_call& given) {
  list_call call = given;
  if (call.out.ptr() == Py_Ellipsis) {
    if (call.joined) {
      throw_python(false, std::string(call.caller) + ": out=... is not for lists of arrays; pass an array");
    }
    call.out = Py_None;
  }
  const nb::object items = items_of(call);
  const bool any = NB_TUPLE_GET_SIZE(items.ptr()) != 0;
  list_of_arrays list(call, any ? NB_TUPLE_GET_ITEM(items.ptr(), 0) : items.ptr(), any ? "x[0]" : "x");
  list.has_none = !any;
  locate_items(call, items, list);
  result_array results;
  results.imported.takes_any_shape = !call.joined;
  imported_array& out = results.imported;
  if (!call.out.is_none()) {
    locate_out(call.out, list.first, out);
    results.object = nb::borrow(call.out);
  }
  stream_choice stream;
  if (list.first.on_gpu()) {
    stream = import_items(call, list, call.out.is_none() ? nullptr : &out);
  } else {
    list.first.refuse_stream(call.stream);
  }
  const element_type type = default_type(call, list);
  const element_type wanted = call.dtype.is_none() ? type : read_dtype(call.dtype, call.caller, choices_of(call));
  if (call.joined && !call.out.is_none()) check_out(call.dtype, list.first, out);
  const element_type result = call.out.is_none() ? wanted : out.type;
  if (is_integer(result) && call.what == reduction::nrm2) {
    list.first.refuse(false, "the result type is " + std::string(name_of(result)) + "; use a floating-point type");
  }
  if (call.joined) return reduce_joined(call, list, out, stream, result);
  return reduce_each(call, list, results, stream, type);
}

}  // namespace exactdot::python
