// Parser of the header of a .npy file: element type, byte order, shape and position of the data.
//
// Format (NumPy's NEP 1): magic, version, header length, a Python dict with the keys descr, fortran_order and
// shape, then the data. Strict: files that NumPy would not read, and files that are not an array of an element
// type, or of a complex type for callers that take it, are errors. A pure function of the bytes, so that it can be
// fuzzed.
//
// NumPy does not store the names of ml_dtypes' bfloat16 and float8_e4m3fn: it writes '<V2' and '<V1', bytes of no type, as
// for any structure of that size. Such a file is read only if the caller says that it holds that type. float8_e5m2 is '<f1'. Booleans are bytes 0 and 1:
// int8, whose sums have a sign.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <io/type_names.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace exactdot::io {

struct npy_header {
  element_type type = element_type::float32;
  bool is_boolean = false;  ///< of type int8; whether all bytes are 0 or 1 is not examined
  bool big_endian = false;
  std::vector<std::size_t> shape = {};
  bool fortran_order = false;   ///< the first axis is the fastest
  std::size_t n = 0;            ///< elements
  std::size_t data_offset = 0;  ///< bytes from the beginning of the file to the first element
};

/// Which shapes a caller takes.
enum class npy_shapes : bool { vectors, any };

/// Returns whether the bytes begin with the magic of .npy files.
[[nodiscard]] bool has_npy_magic(std::span<const std::byte> file_bytes);

/// Parses the header. `file_bytes`: the whole file; `file`: its name for messages. data_offset + n·size_of(type) is
/// at most the size of the file; bytes after the data are ignored, as in NumPy. `expected`: the type that the
/// caller expects; it decides only about 'V2' and 'V1', which hold bfloat16 and float8_e4m3fn if that is expected.
/// Throws only errc::file, also for an array that is no vector unless `shapes` allows it, and for complex numbers
/// unless `numbers` does.
[[nodiscard]] npy_header parse_npy_header(std::span<const std::byte> file_bytes, std::string_view file,
                                          std::optional<element_type> expected = std::nullopt,
                                          npy_shapes shapes = npy_shapes::vectors,
                                          npy_numbers numbers = npy_numbers::real);

}  // namespace exactdot::io
