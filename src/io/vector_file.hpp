// vector_file: an operand of a reduction in a .npy or raw file; of a .npy file also an array of several axes.
//
// The elements remain in the mapped file, at any alignment and in either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <exactdot/element.hpp>
#include <exactdot/shapes.hpp>
#include <exactdot/views.hpp>
#include <io/mapped_file.hpp>
#include <io/npy_header.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::io {

class vector_file {
 public:
  /// Opens the file. Without `raw_type` it must be a .npy file. With it, a file without the magic and the name of a
  /// .npy file holds raw little-endian elements of that type, and a .npy file must be of that type; bfloat16 needs
  /// it in .npy files too (npy_header.hpp). `shapes`: which shapes a .npy file may have. `numbers`: whether they may
  /// be complex; a raw type is one of these numbers. Booleans are read once, to find bytes that are none. Throws
  /// errc::file.
  explicit vector_file(const std::string& path, std::optional<element_type> raw_type = std::nullopt,
                       npy_shapes shapes = npy_shapes::vectors, npy_numbers numbers = npy_numbers::real);

  [[nodiscard]] element_type type() const noexcept { return type_; }
  /// Returns the name of the type in the file: of booleans, which are elements of int8, "bool".
  [[nodiscard]] std::string_view type_name() const noexcept { return is_boolean_ ? "bool" : name_of(type_); }
  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  /// Returns whether the elements have the byte order that this machine does not have.
  [[nodiscard]] bool swapped() const noexcept { return big_endian_ != (std::endian::native == std::endian::big); }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return data_; }

  /// Returns the axes of the array; of a raw file, one.
  [[nodiscard]] std::vector<axis> axes() const;

  /// Returns "length 3" or "the shape (2, 3)".
  [[nodiscard]] std::string shape_text() const;

  /// Returns a view of the elements in the mapped file, in its byte order.
  [[nodiscard]] any_vector view() const noexcept {
    return {data_.data(), n_, type_, static_cast<std::ptrdiff_t>(size_of(type_)), swapped()};
  }

  /// Throws errc::file if the file changed since it was opened. Call it before using a result.
  void check() const { file_.check(); }

 private:
  mapped_file file_;
  element_type type_ = element_type::float32;
  bool is_boolean_ = false;
  bool big_endian_ = false;
  std::vector<std::size_t> shape_;
  bool fortran_order_ = false;
  std::size_t n_ = 0;
  std::span<const std::byte> data_;
};

/// Throws errc::file, with the names of both files, unless both hold floating-point or complex numbers, or both
/// integers.
void check_types(const vector_file& a, const vector_file& b);

/// Throws errc::file, with the names of both files, unless they have the same length.
void check_lengths(const vector_file& a, const vector_file& b);

}  // namespace exactdot::io
