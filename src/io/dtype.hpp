// The element types that files may hold.
#pragma once

#include <concepts>
#include <cstddef>
#include <exactdot/dot.hpp>

namespace exactdot::io {

enum class dtype { float32, float64 };

[[nodiscard]] constexpr std::size_t item_size(dtype type) { return type == dtype::float32 ? 4 : 8; }
[[nodiscard]] constexpr const char* name(dtype type) { return type == dtype::float32 ? "float32" : "float64"; }

template <element T>
inline constexpr dtype dtype_of = std::same_as<T, float> ? dtype::float32 : dtype::float64;

/// Calls function(T{}) with T = float or double, whichever `type` is, and returns what it returns.
template <class Function>
constexpr auto visit(dtype type, Function&& function) {
  return type == dtype::float32 ? function(float{}) : function(double{});
}

}  // namespace exactdot::io
