// The header of a .npy file: what the bytes behind it are.
//
// Format: NumPy's "NEP 1": magic, version, header length, a Python dict with the keys descr,
// fortran_order and shape, then the data. Strict: whatever NumPy would not read, and whatever is not a
// vector of float32 or float64, is a fault that is named. A pure function of the bytes, so that it can be fuzzed.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <span>
#include <string_view>

namespace exactdot::io {

struct npy_header {
  element_type type = element_type::float32;
  bool big_endian = false;
  std::size_t n = 0;            ///< elements
  std::size_t data_offset = 0;  ///< bytes from the beginning of the file to the first element
};

/// True when the bytes begin as every .npy file does.
[[nodiscard]] bool has_npy_magic(std::span<const std::byte> file_bytes);

/// `file_bytes`: the whole file; `file`: its name for messages. Guarantees that data_offset + n·item_size lies
/// within the bytes; bytes behind the data are ignored, as NumPy does. Throws exactdot::error (errc::file)
/// and nothing else.
[[nodiscard]] npy_header parse_npy_header(std::span<const std::byte> file_bytes, std::string_view file);

}  // namespace exactdot::io
