// SPDX-License-Identifier: Apache-2.0
// Element types: the one table that names them, and the way from a run-time type to a C++ type.
//
// To add a type: an enumerator, a type in `element_types` and an entry of `elements`, in the same order. Files,
// Python, the program and the engines read this table; src/core/format.hpp derives the numerics from it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace exactdot {

/// The type of the elements of a vector, and of a result.
enum class element_type : unsigned char { float32, float64 };

struct element_info {
  element_type type;
  std::string_view name;  ///< NumPy's
  std::size_t bytes;
  char kind;           ///< NumPy's: 'f' for floating point
  char struct_format;  ///< in Python's struct module and buffer protocol
  int precision;       ///< significant bits, the hidden one included
  int exponent_bits;
};

inline constexpr std::array elements = {
    element_info{element_type::float32, "float32", 4, 'f', 'f', 24, 8},
    element_info{element_type::float64, "float64", 8, 'f', 'd', 53, 11},
};

namespace detail {
/// The last bit of any product of two elements weighs 2^this; every finite product is below 2^the other.
constexpr int lowest_product_exponent(const element_info& of) {
  return 2 * (3 - (1 << (of.exponent_bits - 1)) - of.precision);
}
constexpr int highest_product_exponent(const element_info& of) { return 2 << (of.exponent_bits - 1); }
/// Limbs of 32 bits that hold all bits of 2^63 products of the largest magnitude, and a sign.
constexpr int limb_count(const element_info& of) {
  return (highest_product_exponent(of) + 63 - lowest_product_exponent(of)) / 32 + 1;
}
}  // namespace detail

/// The C++ types in the order of the enumerators.
using element_types = std::tuple<float, double>;

namespace detail {
template <class T, class Types>
inline constexpr std::size_t index_in = 0;
template <class T, class First, class... Rest>
inline constexpr std::size_t index_in<T, std::tuple<First, Rest...>> =
    std::same_as<T, First> ? 0 : 1 + index_in<T, std::tuple<Rest...>>;
}  // namespace detail

/// A C++ type that is an element type.
template <class T>
concept element = detail::index_in<T, element_types> < std::tuple_size_v<element_types>;

template <element T>
inline constexpr element_type type_of = static_cast<element_type>(detail::index_in<T, element_types>);

/// False for a value that is no enumerator.
constexpr bool is_known(element_type type) { return static_cast<std::size_t>(type) < elements.size(); }
constexpr const element_info& info_of(element_type type) { return elements[static_cast<std::size_t>(type)]; }
constexpr std::string_view name_of(element_type type) { return info_of(type).name; }
constexpr std::size_t size_of(element_type type) { return info_of(type).bytes; }

/// The type of this name.
constexpr std::optional<element_type> type_named(std::string_view name) {
  for (const element_info& known : elements) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

/// work(T{}) with the C++ type T of a known `type`; the result types must be the same for all T.
template <std::size_t index = 0, class Work>
constexpr decltype(auto) with_element(element_type type, Work&& work) {
  if constexpr (index + 1 < elements.size()) {
    if (static_cast<std::size_t>(type) != index) return with_element<index + 1>(type, work);
  }
  return work(std::tuple_element_t<index, element_types>{});
}

}  // namespace exactdot
