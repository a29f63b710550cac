// vector_file: an operand of a reduction in a .npy or raw file.
//
// The elements remain in the mapped file, at any alignment and in either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <exactdot/element.hpp>
#include <exactdot/views.hpp>
#include <io/mapped_file.hpp>
#include <optional>
#include <span>
#include <string>

namespace exactdot::io {

class vector_file {
 public:
  /// Opens the file. Without `raw_type` it must be a .npy file. With it, a file without the magic and the name of a
  /// .npy file holds raw little-endian elements of that type, and a .npy file must be of that type; bfloat16 needs
  /// it in .npy files too (npy_header.hpp). Throws errc::file.
  explicit vector_file(const std::string& path, std::optional<element_type> raw_type = std::nullopt);

  [[nodiscard]] element_type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  /// Returns whether the elements have the byte order that this machine does not have.
  [[nodiscard]] bool swapped() const noexcept { return big_endian_ != (std::endian::native == std::endian::big); }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return data_; }

  /// Returns a view of the elements in the mapped file, in its byte order.
  [[nodiscard]] any_vector view() const noexcept {
    return {data_.data(), n_, type_, static_cast<std::ptrdiff_t>(size_of(type_)), swapped()};
  }

  /// Throws errc::file if the file changed since it was opened. Call it before using a result.
  void check() const { file_.check(); }

 private:
  mapped_file file_;
  element_type type_ = element_type::float32;
  bool big_endian_ = false;
  std::size_t n_ = 0;
  std::span<const std::byte> data_;
};

/// Throws errc::file, with the names of both files, unless both hold floating-point numbers or both integers, of
/// the same length.
void check_pair(const vector_file& a, const vector_file& b);

}  // namespace exactdot::io
