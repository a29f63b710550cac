// SPDX-License-Identifier: Apache-2.0
// Element types: the one table that names them, and the way from a run-time type to a C++ type.
//
// To add a type: an enumerator, a type in `element_types` and an entry of `elements`, in the same order. Files,
// Python, the program and the engines read this table; include/exactdot/core/format.hpp derives the numerics from it.
#pragma once

#include <exactdot/requirements.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exactdot/float16.hpp>
#include <exactdot/float8.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#if defined(__STDCPP_FLOAT32_T__) && defined(__STDCPP_FLOAT64_T__)
#include <stdfloat>
#endif

namespace exactdot::inline v0_3 {

/// The type of the elements of a vector, and of a result.
enum class element_type : unsigned char {
  float32,
  float64,
  float16,
  bfloat16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float8_e4m3fn,
  float8_e5m2,
  /// Numbers of two parts, float32 or float64, one after the other: of vectors and shapes that are summed, multiplied,
  /// or whose norm is taken, and of results (complex.hpp). Not in `elements`.
  complex64,
  complex128,
};

struct element_info {
  element_type type;
  std::string_view name;  ///< NumPy's, or ml_dtypes'
  std::size_t bytes;
  char kind;           ///< NumPy's: 'f' floating point, 'i' and 'u' integers, 'V' bfloat16 and float8_e4m3fn
  char struct_format;  ///< in Python's struct module and buffer protocol; 0: none
  int precision;       ///< significant bits, the hidden one included; of an integer without the sign
  int exponent_bits;   ///< 0: an integer
};

/// In the order of element_type.
inline constexpr std::array elements = {
    element_info{element_type::float32, "float32", 4, 'f', 'f', 24, 8},
    element_info{element_type::float64, "float64", 8, 'f', 'd', 53, 11},
    element_info{element_type::float16, "float16", 2, 'f', 'e', 11, 5},
    element_info{element_type::bfloat16, "bfloat16", 2, 'V', 0, 8, 8},
    element_info{element_type::int8, "int8", 1, 'i', 'b', 7, 0},
    element_info{element_type::int16, "int16", 2, 'i', 'h', 15, 0},
    element_info{element_type::int32, "int32", 4, 'i', 'i', 31, 0},
    element_info{element_type::int64, "int64", 8, 'i', 'q', 63, 0},
    element_info{element_type::uint8, "uint8", 1, 'u', 'B', 8, 0},
    element_info{element_type::uint16, "uint16", 2, 'u', 'H', 16, 0},
    element_info{element_type::uint32, "uint32", 4, 'u', 'I', 32, 0},
    element_info{element_type::uint64, "uint64", 8, 'u', 'Q', 64, 0},
    element_info{element_type::float8_e4m3fn, "float8_e4m3fn", 1, 'V', 0, 4, 4},
    element_info{element_type::float8_e5m2, "float8_e5m2", 1, 'f', 0, 3, 5},
};

namespace detail {
/// The elements, and after them complex types. Written out: what reads a table that a loop has made, GCC 12 does not
/// compile for link-time optimisation.
inline constexpr std::array described_types = {
    elements[0],  elements[1],  elements[2],  elements[3],  elements[4], elements[5], elements[6],
    elements[7],  elements[8],  elements[9],  elements[10], elements[11], elements[12], elements[13],
    element_info{element_type::complex64, "complex64", 8, 'c', 0, 24, 8},
    element_info{element_type::complex128, "complex128", 16, 'c', 0, 53, 11}};
static_assert(described_types.size() == elements.size() + 2);
}  // namespace detail

/// The C++ types in the order of the enumerators.
using element_types =
    std::tuple<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
               std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float8_e4m3fn, float8_e5m2>;

namespace detail {
template <class T, class Types>
inline constexpr std::size_t index_in = 0;
template <class T, class First, class... Rest>
inline constexpr std::size_t index_in<T, std::tuple<First, Rest...>> =
    std::same_as<T, First> ? 0 : 1 + index_in<T, std::tuple<Rest...>>;

/// The entry of `element_types` with the values and the bits of T. Of `long` and `long long` std::int64_t is one; the
/// other is the same to a user. Types whose sign or format depends on the machine (char, long double) have none.
template <class T>
struct twin_of {
  using type = T;
};
template <>
struct twin_of<long> {
  using type = std::conditional_t<sizeof(long) == 8, std::int64_t, std::int32_t>;
};
template <>
struct twin_of<unsigned long> {
  using type = std::conditional_t<sizeof(long) == 8, std::uint64_t, std::uint32_t>;
};
template <>
struct twin_of<long long> {
  using type = std::int64_t;
};
template <>
struct twin_of<unsigned long long> {
  using type = std::uint64_t;
};
#if !defined(__CUDACC__) && defined(__FLT16_MANT_DIG__)
template <>
struct twin_of<_Float16> {  // std::float16_t
  using type = float16;
};
#endif
#if !defined(__CUDACC__) && defined(__BFLT16_MANT_DIG__)
template <>
struct twin_of<__bf16> {  // std::bfloat16_t
  using type = bfloat16;
};
#endif
#if defined(__STDCPP_FLOAT32_T__) && defined(__STDCPP_FLOAT64_T__)
template <>
struct twin_of<std::float32_t> {
  using type = float;
};
template <>
struct twin_of<std::float64_t> {
  using type = double;
};
#endif
template <class T>
inline constexpr std::size_t element_index = index_in<typename twin_of<T>::type, element_types>;
}  // namespace detail

/// A C++ type that is an element type: one of `element_types`, or a type of the compiler with the same values and bits
/// (`long long`, `_Float16`, …).
template <class T>
concept element = detail::element_index<T> < std::tuple_size_v<element_types>;

/// The enumerator of a type.
template <element T>
inline constexpr element_type type_of = static_cast<element_type>(detail::element_index<T>);

/// False for a value that is no enumerator, and for complex types.
constexpr bool is_known(element_type type) { return static_cast<std::size_t>(type) < elements.size(); }
constexpr const element_info& info_of(element_type type) {
  return detail::described_types[static_cast<std::size_t>(type)];
}
constexpr std::string_view name_of(element_type type) { return info_of(type).name; }
constexpr std::size_t size_of(element_type type) { return info_of(type).bytes; }
constexpr bool is_complex(element_type type) {
  return type == element_type::complex64 || type == element_type::complex128;
}
/// The type of both parts of a complex type; a real type itself.
constexpr element_type part_of(element_type type) {
  if (!is_complex(type)) return type;
  return type == element_type::complex64 ? element_type::float32 : element_type::float64;
}
/// The complex type with parts of float32 or float64.
constexpr element_type complex_type_of(element_type part) {
  return part == element_type::float32 ? element_type::complex64 : element_type::complex128;
}
constexpr bool is_integer(element_type type) { return info_of(type).exponent_bits == 0; }
constexpr bool is_signed(element_type type) { return info_of(type).kind != 'u'; }

/// Element types of integers, and those that represent fractions.
template <class T>
concept integer_element = element<T> && is_integer(type_of<T>);
template <class T>
concept floating_element = element<T> && !integer_element<T>;

namespace detail {
template <element T>
inline constexpr bool has_sign = is_signed(type_of<T>);
}  // namespace detail

/// The type of this name.
constexpr std::optional<element_type> type_named(std::string_view name) {
  for (const element_info& known : elements) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}
/// The same of complex types, too.
constexpr std::optional<element_type> number_type_named(std::string_view name) {
  for (const element_info& known : detail::described_types) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

/// The types in which terms are computed, to which all others are converted: float32 and float64. The lab has these
/// only.
inline constexpr std::array carriers = {elements[0], elements[1]};
constexpr bool is_carrier(element_type type) { return static_cast<std::size_t>(type) < carriers.size(); }

/// work(T{}) with the C++ type T of a carrier; the result types must be the same for both.
template <class Work>
constexpr decltype(auto) with_carrier(element_type type, Work&& work) {
  if (type == element_type::float32) return work(float{});
  return work(double{});
}

/// work(T{}) with the C++ type T of a known `type`; the result types must be the same for all T.
template <std::size_t index = 0, class Work>
constexpr decltype(auto) with_element(element_type type, Work&& work) {
  if constexpr (index + 1 < elements.size()) {
    if (static_cast<std::size_t>(type) != index) return with_element<index + 1>(type, work);
  }
  return work(std::tuple_element_t<index, element_types>{});
}

namespace detail {
/// The words of an exact state: limbs of radix 2^32 from the last bit of any product on, then four counts.
struct state_shape {
  int lowest_exponent;   ///< the last bit of any product weighs 2^this
  int highest_exponent;  ///< every finite product < 2^this in magnitude

  /// Limbs that hold all bits of 2^63 products of the largest magnitude, and a sign.
  [[nodiscard]] constexpr int limbs() const { return (highest_exponent + 63 - lowest_exponent) / 32 + 1; }
};

/// One state serves float and what fits into it, one double, one the integers up to 32 bits, one those of 64 bits.
constexpr state_shape state_shape_of(element_type type) {
  const element_info& info = info_of(type);
  if (is_integer(type)) return {0, info.bytes == 8 ? 128 : 64};
  const element_info& of = info.precision <= 24 ? elements[0] : elements[1];
  return {2 * (3 - (1 << (of.exponent_bits - 1)) - of.precision), 2 << (of.exponent_bits - 1)};
}

/// Whether the state of one type holds every element and every product of two elements of another, exactly.
constexpr bool state_holds(element_type state, element_type type) {
  const state_shape outer = state_shape_of(state), inner = state_shape_of(type);
  return outer.lowest_exponent <= inner.lowest_exponent && inner.highest_exponent <= outer.highest_exponent;
}
}  // namespace detail

}  // namespace exactdot::inline v0_3
