// Implementation of extremes.hpp.
#include <algorithm>
#include <cstring>
#include <exactdot/extremes.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/extremes.hpp>
#include <python/src/gil.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <utility>

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

/// The bits of the element at an address.
std::uint64_t word_at(const imported_array& x, const char* at) {
  const std::size_t size = size_of(x.type);
  char bytes[sizeof(std::uint64_t)] = {};
  std::memcpy(bytes, at, size);
  if (x.swapped) std::reverse(bytes, bytes + size);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Where position i along axes lies, the last one fastest.
std::ptrdiff_t offset_of(const std::vector<axis>& axes, std::size_t i) {
  std::ptrdiff_t offset = 0;
  for (std::size_t k = axes.size(); k-- != 0; i /= axes[k].n) {
    offset += static_cast<std::ptrdiff_t>(i % axes[k].n) * axes[k].stride;
  }
  return offset;
}

/// Of the indices of the least and the greatest elements, along axes of an array in host memory, those of the larger
/// magnitudes: in the first array, which is new, or as a number.
nb::object larger_of(const reduction_call& call, nb::handle axis, nb::object at_least, nb::object at_greatest) {
  const imported_array& x = call.inputs.first;
  const divided_axes axes = divide(x.all_axes(), read_axes(axis, x.dimensions, call.inputs.caller()), false);
  const auto larger = [&](const char* line, std::int64_t least, std::int64_t greatest) {
    const auto at = [&](std::int64_t i) {
      return word_at(x, line + offset_of(axes.elements, static_cast<std::size_t>(i)));
    };
    const detail::found_extremes found{at(least), at(greatest), static_cast<std::uint64_t>(least),
                                       static_cast<std::uint64_t>(greatest)};
    return static_cast<std::int64_t>(detail::index_of_magnitude(found, x.type));
  };
  const auto* const data = static_cast<const char*>(x.data);
  if (nb::isinstance<nb::int_>(at_least)) {
    return nb::int_(larger(data, nb::cast<std::int64_t>(at_least), nb::cast<std::int64_t>(at_greatest)));
  }
  imported_array least, greatest;
  least.takes_any_shape = greatest.takes_any_shape = true;
  least.locate(at_least.ptr()), greatest.locate(at_greatest.ptr());
  auto* const to = static_cast<std::int64_t*>(least.data);  // both are without gaps
  const auto* const other = static_cast<const std::int64_t*>(greatest.data);
  for (std::size_t i = 0; i < least.n; ++i) to[i] = larger(data + offset_of(axes.results, i), to[i], other[i]);
  return at_least;
}

}  // namespace

nb::object compute_extremes(const reduction_call& call, bool is_vector, nb::handle axis,
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
  if (axis.ptr() != nullptr) return larger_of(call, axis, std::move(at_least), std::move(at_greatest));
  nb::object least = reduce_to(reduction::min), greatest = reduce_to(reduction::max);
  const finalization_guard guard;
  return nb::module_::import_("exactdot._norms").attr("index_of_magnitude")(least, greatest, at_least, at_greatest);
}

}  // namespace exactdot::python
