// vector_file: one operand of a dot product, open: a .npy file or a raw one.
//
// The data stay in the mapped file: at any alignment, and perhaps in the other byte order.
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
  /// Without `raw_type` the file must be a .npy file. With it, a file that neither begins like a .npy file
  /// nor is named like one is taken as raw little-endian elements of that type; a .npy file must then hold
  /// that type. Throws errc::file.
  explicit vector_file(const std::string& path, std::optional<element_type> raw_type = std::nullopt);

  [[nodiscard]] element_type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  /// True when the elements have not this machine's byte order.
  [[nodiscard]] bool swapped() const noexcept { return big_endian_ != (std::endian::native == std::endian::big); }
  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return data_; }

  /// The elements where they lie in the file, in its byte order.
  [[nodiscard]] any_vector view() const noexcept {
    return {data_.data(), n_, type_, static_cast<std::ptrdiff_t>(size_of(type_)), swapped()};
  }

  /// Throws errc::file when the file changed since it was opened: to be called before a result is believed.
  void check() const { file_.check(); }

 private:
  mapped_file file_;
  element_type type_ = element_type::float32;
  bool big_endian_ = false;
  std::size_t n_ = 0;
  std::span<const std::byte> data_;
};

/// Throws errc::file, naming both files, unless types and lengths agree.
void check_pair(const vector_file& a, const vector_file& b);

}  // namespace exactdot::io
