// Random elements and keys for tests of groups, and where the elements of each group lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <vector>

#include "oracle/random.hpp"

namespace keyed {

using namespace exactdot;
using oracle::rng;

/// Elements of a type, `stride` elements apart, perhaps with swapped bytes.
struct random_elements {
  element_type type;
  std::size_t n;
  std::ptrdiff_t stride;
  bool swapped;
  std::vector<std::byte> bytes;

  random_elements(rng& random, element_type of_type, std::size_t count, bool plain, int spread)
      : type(of_type),
        n(count),
        stride(plain ? 1 : static_cast<std::ptrdiff_t>(random.below(4)) - 1),
        swapped(!plain && random.below(3) == 0),
        bytes((n * 3 + 1) * size_of(of_type)) {
    const std::size_t size = size_of(type);
    for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
      with_element(type, [&]<class T>(T value) {
        if constexpr (integer_element<T>) {
          value = static_cast<T>(static_cast<std::int64_t>(random.bits()) >> random.between(0, 40));
        } else {
          const int exponent = spread != 0 && random.coin() ? random.between(-spread, spread) : 0;
          value = static_cast<T>(static_cast<float>(std::ldexp(2 * random.unit() - 1, exponent)));
          if (sizeof(T) == 8 && random.coin()) value = static_cast<T>(std::ldexp(2 * random.unit() - 1, exponent));
        }
        std::memcpy(&bytes[i], &value, size);
      });
      if (swapped) std::reverse(&bytes[i], &bytes[i] + size);
    }
  }
  [[nodiscard]] any_vector view() const {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    return {bytes.data() + (stride < 0 ? (n - 1) * size_of(type) : 0), n, type, stride * size, swapped};
  }
  /// The elements at these places, contiguous.
  [[nodiscard]] std::vector<std::byte> at(const std::vector<std::size_t>& places) const {
    const std::size_t size = size_of(type);
    std::vector<std::byte> copied(places.size() * size + 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(
          &copied[i * size],
          static_cast<const std::byte*>(view().data) + static_cast<std::ptrdiff_t>(places[i]) * view().stride,
          size);
    }
    return copied;
  }
};

/// sparse: sorted, and most groups have no elements; far: the same, not sorted.
/// The first reductions of the list, which give no indices.
inline constexpr std::size_t without_indices = 10;

enum class order { random, sorted, descending, skewed, blocks, sparse, far };
inline constexpr std::size_t orders = 7;

inline std::vector<std::int64_t> make_keys(rng& random, std::size_t n, std::size_t groups, order which,
                                           bool outside) {
  std::vector<std::int64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::int64_t>(random.below(groups));
    if (which == order::skewed && random.below(10) != 0) keys[i] = static_cast<std::int64_t>(groups / 2);
    if (which == order::blocks && i % 50 != 0) keys[i] = keys[i - 1];
    if (which == order::sparse || which == order::far)
      keys[i] = static_cast<std::int64_t>(groups - 1 - random.below(groups / 8 + 1) * 7);
    if (outside && random.below(5) == 0) keys[i] = random.coin() ? -1 : static_cast<std::int64_t>(groups);
  }
  if (which == order::sorted || which == order::sparse) std::ranges::sort(keys);
  if (which == order::descending) std::ranges::sort(keys, std::greater<>());
  return keys;
}

struct counted_places {
  std::vector<std::vector<std::size_t>> of_group;

  counted_places(const std::vector<std::int64_t>& keys, std::size_t groups) : of_group(groups) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] >= 0 && static_cast<std::size_t>(keys[i]) < groups) {
        of_group[static_cast<std::size_t>(keys[i])].push_back(i);
      }
    }
  }
  [[nodiscard]] bool any_empty() const {
    return std::ranges::any_of(of_group, [](const auto& places) { return places.empty(); });
  }
};

}  // namespace keyed
