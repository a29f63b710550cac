// Reference of mode fast: order v1, as docs/contract.md defines it.
//
// Recursive over tiles and lanes, with single calls of std::fma, so that it shares neither structure nor code with
// a SIMD kernel. Cost: some nanoseconds per element.
#pragma once

#include <cstddef>
#include <span>

namespace oracle {

/// The frozen constants of order v1.
inline constexpr std::size_t order_v1_row_bytes = 512;
inline constexpr std::size_t order_v1_tile_rows = 16;

template <class T>
inline constexpr std::size_t order_v1_lanes = order_v1_row_bytes / sizeof(T);
template <class T>
inline constexpr std::size_t order_v1_tile = order_v1_lanes<T>* order_v1_tile_rows;

/// The dot in order v1, converted to R; a NaN result is the canonical NaN. Requires a.size() == b.size().
template <class R, class T>
[[nodiscard]] R fast_dot(std::span<const T> a, std::span<const T> b);

}  // namespace oracle
