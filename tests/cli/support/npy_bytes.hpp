// Valid and invalid .npy files as byte strings. Shares no code with the writer under test.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <exactdot/element.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace cli_test {

struct npy_format {
  int major_version = 1;
  int minor_version = 0;
};

/// Returns magic, version, header length, the unchanged header text and `data`.
[[nodiscard]] std::string npy_with_header(const std::string& header, const std::string& data = {},
                                          npy_format version = {});

/// Returns "{'descr': DESCR, 'fortran_order': ORDER, 'shape': SHAPE, }", padded as by NumPy.
[[nodiscard]] std::string npy_dict(const std::string& descr, const std::string& shape,
                                   const std::string& order = "False");

/// Returns the bytes of the elements in the given byte order.
template <exactdot::element T>
[[nodiscard]] std::string element_bytes(const std::vector<T>& values, bool big_endian = false) {
  using word =
      std::conditional_t<sizeof(T) == 1, std::uint8_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                            std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  std::string bytes;
  for (const T value : values) {
    const word bits = std::bit_cast<word>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t position = big_endian ? sizeof(T) - 1 - i : i;
      bytes += static_cast<char>(bits >> (8 * position) & 0xff);
    }
  }
  return bytes;
}

/// Returns NumPy's code of the type, with its quotes.
template <exactdot::element T>
[[nodiscard]] std::string npy_descr(bool big_endian = false) {
  char kind = std::is_signed_v<T> ? 'i' : 'u';
  if (!std::is_integral_v<T>) kind = 'f';
  if (std::is_same_v<T, exactdot::bfloat16> || std::is_same_v<T, exactdot::float8_e4m3fn>) kind = 'V';
  const char order = sizeof(T) == 1 ? '|' : big_endian ? '>' : '<';
  return std::string("'") + order + kind + std::to_string(sizeof(T)) + "'";
}

/// Returns a valid file.
template <exactdot::element T>
[[nodiscard]] std::string npy_file(const std::vector<T>& values, bool big_endian = false, npy_format version = {},
                                   const std::string& order = "False") {
  return npy_with_header(npy_dict(npy_descr<T>(big_endian), "(" + std::to_string(values.size()) + ",)", order),
                         element_bytes(values, big_endian), version);
}

}  // namespace cli_test
