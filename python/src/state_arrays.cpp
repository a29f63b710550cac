// Implementation of state_arrays.hpp. Arguments have been given defaults by exactdot/_states.py; `name` is the
// function with which messages begin. States of arrays in GPU memory are arrays there, ordered by a stream.
#include <algorithm>
#include <exactdot/states.hpp>
#include <plan/axes.hpp>
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_results.hpp>
#include <python/src/host_call.hpp>
#include <python/src/result_array.hpp>
#include <python/src/state_arrays.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {
namespace {

/// A call of one or two arrays.
struct states_call {
  std::string name;
  reduction what;
  vectors inputs;
  options chosen;
  state_form form;
  stream_choice stream;   ///< of arrays in GPU memory
  result_array results;   ///< there
  const nb::object none;  ///< arguments that states do not have

  states_call(const std::string& function, nb::handle reduction, nb::handle a, nb::handle b, bool compact,
              nb::handle threads, nb::handle given_stream)
      : name(function),
        what(read_reduction(reduction, function)),
        inputs(b.is_none() ? vectors(name.c_str(), a, "a") : vectors(name.c_str(), a, b)),
        form(form_of(compact)),
        none(nb::none()) {
    if ((what == reduction::dot) == b.is_none()) {
      throw_python(true, name + (b.is_none() ? ": \"dot\" takes two arrays; pass b" : ": b is for \"dot\" only"));
    }
    chosen = read_options(nb::str("exact"), read_integer(threads, "threads", name.c_str()), nb::str("auto"),
                          name.c_str());
    inputs.first.takes_any_shape = inputs.second.takes_any_shape = true;
    inputs.locate();
    if (on_gpu()) {
      stream = inputs.import_on_gpu(nullptr, chosen, given_stream);
    } else {
      inputs.refuse_stream(given_stream);
    }
    if (inputs.are_two()) inputs.check_types();
  }
  states_call(const states_call&) = delete;  // grid() refers to members
  states_call& operator=(const states_call&) = delete;

  [[nodiscard]] bool on_gpu() const { return inputs.on_gpu(); }
  [[nodiscard]] state_format format() const { return {what, inputs.first.type, form}; }
  [[nodiscard]] const imported_array& second() const {
    return inputs.other() != nullptr ? *inputs.other() : inputs.first;
  }
  /// As the functions of grid_results.hpp and result_array.hpp take it: the results are words.
  [[nodiscard]] grid_call grid() {
    return {name.c_str(),
            what,
            inputs,
            chosen,
            0,
            none,
            none,
            none,
            false,
            element_type::int64,
            results,
            on_gpu() ? &stream : nullptr};
  }
};

/// A new array of empty states: of NumPy, or of the library of arrays in GPU memory, where the call clears it.
struct words_array {
  nb::object object;
  imported_array memory;

  words_array(states_call& call, std::vector<std::size_t> shape, std::size_t words) {
    shape.push_back(words);
    if (call.on_gpu()) {
      require_wide_integers(call);
      make_results(call.grid(), shape, element_type::int64);
      return;
    }
    nb::list lengths;
    for (const std::size_t n : shape) lengths.append(n);
    object = nb::module_::import_("numpy").attr("zeros")(nb::steal(PyList_AsTuple(lengths.ptr())), "int64");
    memory.takes_any_shape = true;
    memory.locate(object.ptr());
  }
  [[nodiscard]] state_span span() const { return {static_cast<std::int64_t*>(memory.data), memory.n}; }

 private:
  /// JAX's arrays have 32 bits by default.
  static void require_wide_integers(const states_call& call) {
    if (!framework_of(call.inputs.first.object).starts_with("jax")) return;
    if (nb::cast<bool>(nb::module_::import_("jax").attr("config").attr("jax_enable_x64"))) return;
    call.inputs.refuse(false,
                       "words are int64, and JAX has 32 bits; set jax_enable_x64 before the first array is made");
  }
};

std::vector<std::size_t> shape_of(const std::vector<axis>& axes) {
  std::vector<std::size_t> shape;
  for (const axis& each : axes) shape.push_back(each.n);
  return shape;
}

/// Brings the axes of two arrays to a common shape: of a length of 1, or of none, the elements are repeated.
void broadcast(const states_call& call, std::vector<axis>& a, std::vector<axis>& b) {
  while (a.size() < b.size()) a.insert(a.begin(), {1, 0});
  while (b.size() < a.size()) b.insert(b.begin(), {1, 0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].n == b[i].n) continue;
    if (a[i].n != 1 && b[i].n != 1) call.inputs.refuse(false, "their shapes cannot be broadcast");
    axis& repeated = a[i].n == 1 ? a[i] : b[i];
    repeated = {a[i].n == 1 ? b[i].n : a[i].n, 0};
  }
}

/// Elements, and some for each state, that a call reads or writes.
std::size_t amount_of(std::size_t elements, std::size_t words) {
  return elements > ~std::size_t{0} - words ? ~std::size_t{0} : elements + words;
}

template <class Work>
nb::object compute_states(const states_call& call, std::size_t elements, const words_array& to, Work work) {
  const std::size_t amount = amount_of(elements, to.memory.n);
  compute(amount, is_long_call(call.inputs.first, call.inputs.other()) || amount >= min_long_call, call.chosen,
          work);
  return to.object;
}

/// What the call computes on a GPU, and the array that it returns. `integers`: offsets or keys, or null.
gpu_states states_on_gpu(const states_call& call, const imported_array* integers) {
  gpu_states asked{call.format(), {}, {&call.inputs.first, &call.results.imported}, call.inputs.first.device};
  asked.words = {static_cast<std::int64_t*>(call.results.imported.data), call.results.imported.n};
  if (call.inputs.other() != nullptr) asked.arrays.push_back(call.inputs.other());
  if (integers != nullptr) asked.arrays.push_back(integers);
  return asked;
}

nb::object states_of_axes(const std::string& name, nb::handle reduction, nb::handle a, nb::handle b,
                          nb::handle given, bool compact, nb::handle threads, nb::handle stream) {
  states_call call(name, reduction, a, b, compact, threads, stream);
  const finalization_guard guard;
  std::vector<axis> axes = call.inputs.first.all_axes(), others = call.second().all_axes();
  broadcast(call, axes, others);
  const auto reduced = read_axes(given, static_cast<int>(axes.size()), name.c_str());
  const divided_axes first = divide(axes, reduced, false), second = divide(others, reduced, false);
  const state_format of = call.format();
  const words_array words(call, first.shape, of.words());
  const any_grid left{call.inputs.first.data, of.type, first.results, first.elements, call.inputs.first.swapped};
  const any_grid right{call.second().data, call.second().type, second.results, second.elements,
                       call.second().swapped};
  if (call.on_gpu()) {
    gpu_grid_states(states_on_gpu(call, nullptr), left, right, call.stream);
    return finished(call.grid());
  }
  const std::size_t elements = engine::positions_of(axes).value_or(~std::size_t{0} / 2);
  return compute_states(call, elements, words, [&](const options& chosen) {
    detail::add_grid_states(of, left, right, words.span(), chosen, name.c_str());
  });
}

/// Offsets or keys: integers of one dimension, beside the inputs.
void locate_indices(states_call& call, integer_role role, nb::handle given, imported_array& array) {
  locate_integers(call.grid(), role, given, array);
  if (array.n == 0) array.type = element_type::int64;  // that of an empty list is float64
}

nb::object states_of_segments(const std::string& name, nb::handle reduction, nb::handle a, nb::handle given,
                              nb::handle b, bool compact, nb::handle threads, nb::handle stream) {
  states_call call(name, reduction, a, b, compact, threads, stream);
  const finalization_guard guard;
  call.inputs.check();
  if (call.inputs.first.dimensions != 1) call.inputs.refuse(false, "use arrays of one dimension");
  imported_array offsets;
  locate_indices(call, integer_role::offsets, given, offsets);
  if (offsets.n == 0) throw_python(false, name + ": there is no offset; n segments have n + 1");
  const state_format of = call.format();
  const words_array words(call, {offsets.n - 1}, of.words());
  const any_offsets segments{offsets.data, offsets.n - 1, offsets.type, offsets.stride, offsets.swapped};
  const any_vector left = call.inputs.first.view(), right = call.second().view();
  if (call.on_gpu()) {
    gpu_segment_states(states_on_gpu(call, &offsets), left, right, segments, call.stream);
    return finished(call.grid());
  }
  return compute_states(call, call.inputs.first.n, words, [&](const options& chosen) {
    detail::add_segment_states(of, left, right, segments, words.span(), chosen, name.c_str());
  });
}

/// The keys with the number of groups that was passed, or that they need.
any_keys read_keys(const states_call& call, nb::handle groups, bool skips, const imported_array& array) {
  any_keys keys{array.data, array.n, array.type, array.stride, 0, skips, array.swapped};
  if (!groups.is_none()) {
    keys.groups = static_cast<std::size_t>(read_count(groups, "groups", call.name.c_str()));
    return keys;
  }
  if (array.on_gpu) {
    throw_python(
        false, call.name + ": groups is missing; the greatest key is in GPU memory, so pass the number of groups");
  }
  keys.groups = detail::groups_of_keys(keys, call.chosen, call.name.c_str());
  return keys;
}

nb::object states_of_groups(const std::string& name, nb::handle reduction, nb::handle a, nb::handle given,
                            nb::handle groups, nb::handle b, bool skips, bool compact, nb::handle threads,
                            nb::handle stream) {
  states_call call(name, reduction, a, b, compact, threads, stream);
  const finalization_guard guard;
  std::vector<axis> axes = call.inputs.first.all_axes(), others = call.second().all_axes();
  if (axes.empty() || others.empty())
    call.inputs.refuse(false, "an input has no dimension; keys go along the first");
  if (axes.front().n != others.front().n) call.inputs.refuse(false, "their first axes differ in length");
  const axis first = axes.front(), second = others.front();
  axes.erase(axes.begin()), others.erase(others.begin());
  broadcast(call, axes, others);
  imported_array array;
  locate_indices(call, integer_role::keys, given, array);
  const any_keys keys = read_keys(call, groups, skips, array);
  const state_format of = call.format();
  std::vector<std::size_t> shape = shape_of(axes);
  shape.insert(shape.begin(), keys.groups);
  const words_array words(call, shape, of.words());
  const any_grid left{call.inputs.first.data, of.type, axes, {&first, 1}, call.inputs.first.swapped};
  const any_grid right{call.second().data, call.second().type, others, {&second, 1}, call.second().swapped};
  if (call.on_gpu()) {
    gpu_group_states(states_on_gpu(call, &array), left, right, keys, call.stream);
    return finished(call.grid());
  }
  return compute_states(call, call.inputs.first.n, words, [&](const options& chosen) {
    detail::add_group_states(of, left, right, keys, words.span(), chosen, name.c_str());
  });
}

}  // namespace

void bind_state_arrays(nb::module_& module) {
  const auto any = nb::arg().none();
  const nb::arg plain;
  module.def("_states_of_axes", states_of_axes, plain, any, any, any, any, plain, any, any);
  module.def("_states_of_segments", states_of_segments, plain, any, any, any, any, plain, any, any);
  module.def("_states_of_groups", states_of_groups, plain, any, any, any, any, any, plain, plain, any, any);
}

}  // namespace exactdot::python
