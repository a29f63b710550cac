// Implementation of exact_state.hpp.
#include <algorithm>
#include <exactdot/core/quotient.hpp>
#include <limits>
#include <python/src/element_formats.hpp>
#include <python/src/exact_state.hpp>

namespace exactdot::python {

void exact_state::merge(const exact_state& other) {
  const exact_state copy = other;
  detail::merge(view(), copy.view());
}

double exact_state::special_or_sign() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const core::state_class found = core::class_of(core::layout_of(type_), words().data());
  if (found.nan) return std::numeric_limits<double>::quiet_NaN();
  if (found.zero) return 0;
  const double size = found.infinite ? infinity : 1;
  return found.negative ? -size : size;
}

element_type type_of_sum(element_type a, element_type b) {
  if (a == b || !detail::state_holds(b, a)) return a;
  if (!detail::state_holds(a, b)) return b;
  if (!is_integer(a)) return element_type::float32;
  const char kind = is_signed(a) || is_signed(b) ? 'i' : 'u';
  return type_of_kind(kind, std::max(size_of(a), size_of(b))).value_or(a);
}

}  // namespace exactdot::python
