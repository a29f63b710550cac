// Implementation of extremes.hpp.
#include <exactdot/extremes.hpp>
#include <python/src/extremes.hpp>
#include <python/src/gil.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>

namespace exactdot::python {
namespace {

nb::object of_vector(const reduction_call& call) {
  call.inputs.refuse_stream(call.stream);
  const imported_array& x = call.inputs.first;
  const bool is_magnitude = call.function.gives == outcome::magnitude_index;
  const auto indices = is_magnitude ? detail::with_indices::yes : detail::with_indices::no;
  detail::found_extremes found;
  compute(x, nullptr, call.chosen, [&](const options& chosen) {
    found = detail::find_extremes(x.view(), chosen, indices, call.inputs.caller());
  });
  if (is_magnitude) {
    return nb::int_(detail::index_of_magnitude(found, x.type));
  }
  return nb::make_tuple(to_python({x.type, found.least}), to_python({x.type, found.greatest}));
}

}  // namespace

nb::object compute_extremes(const reduction_call& call, bool is_vector,
                            const std::function<nb::object(const reduction_call&)>& reduce) {
  if (is_vector) return of_vector(call);
  const auto reduce_to = [&](reduction what) {
    reduction_call each = call;
    each.what = each.typed = what;
    return reduce(each);
  };
  if (call.function.gives == outcome::extremes) {
    nb::object least = reduce_to(reduction::min);
    return nb::make_tuple(std::move(least), reduce_to(reduction::max));
  }
  nb::object at_least = reduce_to(reduction::argmin), at_greatest = reduce_to(reduction::argmax);
  nb::object least = reduce_to(reduction::min), greatest = reduce_to(reduction::max);
  const finalization_guard guard;
  return nb::module_::import_("exactdot._norms").attr("index_of_magnitude")(least, greatest, at_least, at_greatest);
}

}  // namespace exactdot::python
