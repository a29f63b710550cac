// npy_writer: writes a vector, or an array in C order, to a .npy file (format 1.0), chunk by chunk.
//
// The length is given first, so a vector larger than memory can be written. The file appears at commit(), if it
// holds as many elements as its header says; see output_file.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <io/output_file.hpp>
#include <span>
#include <string>

namespace exactdot::io {

class npy_writer {
 public:
  /// Throws errc::file if the file cannot be written.
  npy_writer(const std::string& path, element_type type, std::size_t n);
  npy_writer(const std::string& path, element_type type, std::span<const std::size_t> shape);

  /// Throws errc::file, also for elements of another type and for more than n elements.
  template <element T>
  void append(std::span<const T> values) {
    check_elements(type_of<T>, values.size());
    file_.write(std::as_bytes(values));
    left_ -= values.size();
  }
  /// The same for elements whose type is a value.
  void append_bytes(std::span<const std::byte> elements) {
    check_elements(type_, elements.size() / size_of(type_));
    file_.write(elements);
    left_ -= elements.size() / size_of(type_);
  }
  /// Throws errc::file, also if fewer than n elements were appended.
  void commit();

 private:
  void check_elements(element_type type, std::size_t count) const;

  output_file file_;
  element_type type_;
  std::size_t n_;
  std::size_t left_;  // of the n elements
};

}  // namespace exactdot::io
