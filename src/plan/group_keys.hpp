// Reading the keys of groups and the offsets of segments, whatever their type, stride and byte order: the one place
// that does.
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

/// Calls work(T{}) with the type of keys or offsets, which has been checked. Those of 64 bits are unsigned: the
/// negative ones are the greatest then, as narrower ones that are extended.
template <class Work>
auto with_index_type(element_type type, Work work) {
  switch (type) {
    case element_type::int8:
      return work(std::int8_t{});
    case element_type::uint8:
      return work(std::uint8_t{});
    case element_type::int16:
      return work(std::int16_t{});
    case element_type::uint16:
      return work(std::uint16_t{});
    case element_type::int32:
      return work(std::int32_t{});
    case element_type::uint32:
      return work(std::uint32_t{});
    default:
      return work(std::uint64_t{});
  }
}

/// The key or offset at an address, extended to 64 bits by its sign.
template <class T>
std::uint64_t read_index(const char* at, bool swapped) {
  T read;
  std::memcpy(&read, at, sizeof read);
  if (swapped) {
    read = static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(read)) >> (64 - 8 * sizeof read));
  }
  return static_cast<std::uint64_t>(read);
}

/// Calls work(key_at): key_at(i) is key i. A negative key is extended to 64 bits, so it is no group's. Keys have
/// been checked.
template <class Work>
void with_key_reader(const any_keys& keys, Work work) {
  const auto* const data = static_cast<const char*>(keys.data);
  with_index_type(keys.type, [&]<class Key>(Key) {
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(Key));
    if (keys.stride == size && !keys.swapped) {  // of a known stride
      return work(
          [data](std::size_t i) { return read_index<Key>(data + static_cast<std::ptrdiff_t>(i) * size, false); });
    }
    work([data, stride = keys.stride, swapped = keys.swapped](std::size_t i) {
      return read_index<Key>(data + static_cast<std::ptrdiff_t>(i) * stride, swapped);
    });
  });
}

/// The loop of for_keys. Flat: a call takes as long as what most visits do, and for fourteen loops GCC would not
/// repeat them. A function object, because not every compiler takes the attribute of a lambda.
template <class Visit>
struct key_loop {
  std::size_t first, n;
  Visit visit;

  template <class KeyAt>
  [[gnu::flatten]] void operator()(KeyAt key_at) {
    for (std::size_t i = 0; i < n; ++i) visit(i, key_at(first + i));
  }
};

/// Calls visit(i, key) for keys first to first + n, i from 0.
template <class Visit>
void for_keys(const any_keys& keys, std::size_t first, std::size_t n, Visit visit) {
  with_key_reader(keys, key_loop<Visit>{first, n, visit});
}

}  // namespace exactdot::inline v0_3::engine
