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

/// Calls work(key_at): key_at(i) is key i. A negative key is extended to 64 bits, so it is no group's. Keys have
/// been checked.
template <class Work>
void with_key_reader(const any_keys& keys, Work work) {
  const auto* const data = static_cast<const char*>(keys.data);
  const auto with_type = [&]<class Key>(Key) {
    const auto read = [data](std::ptrdiff_t offset) {
      Key key;
      std::memcpy(&key, data + offset, sizeof key);
      return static_cast<std::uint64_t>(key);
    };
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Key));
    if (keys.stride == size) {  // of a known stride
      return work([read](std::size_t i) { return read(static_cast<std::ptrdiff_t>(i) * size); });
    }
    const std::ptrdiff_t stride = keys.stride;
    work([read, stride](std::size_t i) { return read(static_cast<std::ptrdiff_t>(i) * stride); });
  };
  switch (keys.type) {
    case element_type::int8:
      return with_type(std::int8_t{});
    case element_type::uint8:
      return with_type(std::uint8_t{});
    case element_type::int16:
      return with_type(std::int16_t{});
    case element_type::uint16:
      return with_type(std::uint16_t{});
    case element_type::int32:
      return with_type(std::int32_t{});
    case element_type::uint32:
      return with_type(std::uint32_t{});
    default:  // whose negative keys are the greatest, too
      return with_type(std::uint64_t{});
  }
}

/// Calls visit(i, key) for keys first to first + n, i from 0. Within the loop: a call takes as long as what most
/// visits do, and for fourteen loops GCC would not repeat them.
template <class Visit>
void for_keys(const any_keys& keys, std::size_t first, std::size_t n, Visit visit) {
  with_key_reader(
      keys, [ first, n, visit ](auto key_at) mutable __attribute__((flatten)) {
        for (std::size_t i = 0; i < n; ++i) visit(i, key_at(first + i));
      });
}

}  // namespace exactdot::inline v0_3::engine
