// npy_writer: a vector, piece by piece, into a .npy file (format 1.0).
//
// The length is given first, so a vector larger than memory can be written. The file appears only with
// commit(); see output_file.
#pragma once

#include <cstddef>
#include <io/dtype.hpp>
#include <io/output_file.hpp>
#include <span>
#include <string>

namespace exactdot::io {

class npy_writer {
 public:
  /// Throws errc::file when the file cannot be written.
  npy_writer(const std::string& path, dtype type, std::size_t n);

  template <element T>
  void append(std::span<const T> values) {
    file_.write(std::as_bytes(values));
  }
  /// To be called after exactly n elements of the announced type. Throws errc::file.
  void commit() { file_.commit(); }

 private:
  output_file file_;
};

}  // namespace exactdot::io
