// The element types that Python hands over: a row for each, and the way from a row to the type of C++.
//
// A new type is an enumerator, a row of dtype_rows and a line of with_type. Everything else here that depends on
// the type goes through these, but for the instantiations that the linker asks for.
#pragma once

#include <cstddef>
#include <exactdot/accumulator.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

namespace exactdot::python {

enum class dtype { float32, float64 };

struct dtype_row {
  dtype type;
  std::string_view name;  // NumPy's, PyTorch's, JAX's
  std::size_t bytes;
  char format;               // the struct module's
  std::string_view typestr;  // __cuda_array_interface__'s, little-endian
  std::size_t words;         // of an exact state
};

inline constexpr dtype_row dtype_rows[] = {
    {dtype::float32, "float32", sizeof(float), 'f', "<f4", accumulator<float>::word_count},
    {dtype::float64, "float64", sizeof(double), 'd', "<f8", accumulator<double>::word_count},
};

constexpr const dtype_row& row_of(dtype type) { return dtype_rows[static_cast<std::size_t>(type)]; }
constexpr std::size_t bytes_of(dtype type) { return row_of(type).bytes; }
inline std::string name_of(dtype type) { return std::string(row_of(type).name); }

/// The type whose row fits.
template <class Fits>
constexpr std::optional<dtype> find_dtype(Fits fits) {
  for (const auto& row : dtype_rows) {
    if (fits(row)) return row.type;
  }
  return std::nullopt;
}

/// work(T{}) with the type's T.
template <class Work>
decltype(auto) with_type(dtype type, Work work) {
  return type == dtype::float32 ? work(float{}) : work(double{});
}

template <class T>
inline constexpr dtype dtype_of = std::is_same_v<T, float> ? dtype::float32 : dtype::float64;

}  // namespace exactdot::python
