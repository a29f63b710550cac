// The .npy writer; see npy_writer.hpp.
#include <fmt/format.h>

#include <bit>
#include <io/npy_writer.hpp>

namespace exactdot::io {

npy_writer::npy_writer(const std::string& path, dtype type, std::size_t n) : file_(path) {
  constexpr std::size_t alignment = 64;  // of the data within the file, as NumPy has it
  constexpr std::size_t prefix = 10;     // magic, version, header length
  std::string header = fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({},), }}",
                                   std::endian::native == std::endian::little ? '<' : '>', item_size(type), n);
  while ((prefix + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<unsigned>(header.size());
  std::string start = "\x93NUMPY";
  start += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  start += header;
  file_.write(std::as_bytes(std::span(start)));
}

}  // namespace exactdot::io
