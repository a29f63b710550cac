// Axes of arrays: how many positions they have, how far these lie from each other, and whether two arrays share
// memory.
#pragma once

#include <exactdot/shapes.hpp>
#include <optional>

namespace exactdot::inline v0_3::engine {

/// The product of the axes' lengths; 0 if one of them is 0, nothing if it exceeds std::size_t.
[[nodiscard]] std::optional<std::size_t> positions_of(std::span<const axis> axes);

/// The lowest and one past the highest address of elements of `size` bytes along both lists of axes.
struct extent {
  std::uintptr_t begin, end;
};
/// Nothing if they exceed the address space. None of the axes is empty.
[[nodiscard]] std::optional<extent> extent_of(const void* data, std::span<const axis> first,
                                              std::span<const axis> second, std::size_t size);

/// Whether elements of `size` bytes along the axes share memory with the `bytes` from `memory` on. Exact if every
/// axis steps over the whole of the axes with smaller strides, as in a matrix; otherwise true wherever the extents
/// overlap.
[[nodiscard]] bool may_overlap(const void* data, std::span<const axis> first, std::span<const axis> second,
                               std::size_t size, const void* memory, std::size_t bytes);

/// Whether elements of `size` bytes along the axes surely do not share memory with each other.
[[nodiscard]] bool are_separate(std::span<const axis> axes, std::size_t size);

}  // namespace exactdot::inline v0_3::engine
