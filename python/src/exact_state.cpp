// Implementation of exact_state.hpp: sums of one element type in the state of another, and their order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exactdot/core/finish.hpp>
#include <limits>
#include <python/src/element_formats.hpp>
#include <python/src/exact_state.hpp>
#include <string>

namespace exactdot::python {
namespace {

bool same_shape(element_type a, element_type b) { return exact_state::holds(a, b) && exact_state::holds(b, a); }

std::int64_t sign_of(std::span<const std::int64_t> limbs) {
  if (limbs.back() != 0) return limbs.back() < 0 ? -1 : 1;
  return std::ranges::any_of(limbs, [](std::int64_t limb) { return limb != 0; }) ? 1 : 0;
}

std::span<const std::int64_t> limbs_of(const exact_state& state) {
  const std::span<const std::int64_t> words = state.words();
  return words.first(words.size() - 4);
}

bool has_specials(const exact_state& state) {
  return core::special_terms_of(core::layout_of(state.type()), state.words().data()).any();
}

}  // namespace

void exact_state::merge(const exact_state& other) {
  if (same_shape(type_, other.type_)) {
    const exact_state copy = other;
    return detail::merge(view(), copy.view());
  }
  detail::merge(view(), other.as(type_).view());
}

exact_state exact_state::as(element_type type) const {
  if (!holds(type, type_)) {
    throw error(errc::bad_option, std::string(caller_) + ": a state of " + std::string(name_of(type)) +
                                      " does not hold every sum of " + std::string(name_of(type_)));
  }
  return converted(type);
}

exact_state exact_state::converted(element_type type) const {
  exact_state made(type, caller_);
  std::vector<std::int64_t> copy(words().begin(), words().end());
  if (same_shape(type, type_)) {
    made.words_ = std::move(copy);
    return made;
  }
  const core::state_layout layout = core::layout_of(type);
  core::add_state(layout, made.words_.data(), core::layout_of(type_), copy.data());
  core::normalise(layout, made.words_.data());
  return made;
}

double exact_state::special_or_sign() const {
  const core::special_terms special = core::special_terms_of(core::layout_of(type_), words().data());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (special.nan || (special.plus && special.minus)) return std::numeric_limits<double>::quiet_NaN();
  if (special.any()) return special.plus ? infinity : -infinity;
  return static_cast<double>(sign_of(limbs_of(*this)));
}

std::partial_ordering exact_state::compare(const exact_state& other) const {
  if (has_specials(*this) || has_specials(other)) {
    const double left = special_or_sign(), right = other.special_or_sign();
    return (std::isfinite(left) ? 0 : left) <=> (std::isfinite(right) ? 0 : right);
  }
  if (!same_shape(type_, other.type_)) return as(element_type::float64).compare(other.as(element_type::float64));
  const auto a = limbs_of(*this), b = limbs_of(other);
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) return std::partial_ordering::equivalent;
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

element_type type_of_sum(element_type a, element_type b) {
  if (a == b || !exact_state::holds(b, a)) return a;
  if (!exact_state::holds(a, b)) return b;
  if (!is_integer(a)) return element_type::float32;
  const char kind = is_signed(a) || is_signed(b) ? 'i' : 'u';
  return type_of_kind(kind, std::max(size_of(a), size_of(b))).value_or(a);
}

}  // namespace exactdot::python
