// Reading the keys of groups, whatever their type and stride: the one place that does.
#pragma once

#include <cstring>
#include <exactdot/shapes.hpp>

namespace exactdot::inline v0_3::engine {

/// The greatest number of groups that n keys make, unless a caller passes it. So many take as long as the keys: a
/// greater key is most often an identifier, whose results would be mostly those of nothing.
[[nodiscard]] constexpr std::size_t most_derived_groups(std::size_t n) {
  constexpr std::size_t small = std::size_t{1} << 20, groups_per_key = 16;
  constexpr std::size_t most = ~std::size_t{0} >> 8;  // keys; beyond any memory
  return small + groups_per_key * (n < most ? n : most);
}

/// Calls visit(i, key) for keys first to first + n, i from 0. A negative key is extended to 64 bits, so it is no
/// group's. Keys have been checked.
template <class Visit>
void for_keys(const any_keys& keys, std::size_t first, std::size_t n, Visit visit) {
  const auto* const at = static_cast<const char*>(keys.data) + static_cast<std::ptrdiff_t>(first) * keys.stride;
  const auto visit_all = [&]<class Key>(Key key, std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(&key, at + static_cast<std::ptrdiff_t>(i) * stride, sizeof key);
      visit(i, static_cast<std::uint64_t>(key));
    }
  };
  const auto visit_type = [&]<class Key>(Key key) {
    if (keys.stride == sizeof key) return visit_all(key, sizeof key);  // of a known stride
    visit_all(key, keys.stride);
  };
  switch (keys.type) {
    case element_type::int8:
      return visit_type(std::int8_t{});
    case element_type::uint8:
      return visit_type(std::uint8_t{});
    case element_type::int16:
      return visit_type(std::int16_t{});
    case element_type::uint16:
      return visit_type(std::uint16_t{});
    case element_type::int32:
      return visit_type(std::int32_t{});
    case element_type::uint32:
      return visit_type(std::uint32_t{});
    default:  // whose negative keys are the greatest, too
      return visit_type(std::uint64_t{});
  }
}

}  // namespace exactdot::inline v0_3::engine
