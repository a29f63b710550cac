// .npy files as byte strings; see npy_bytes.hpp.
#include "support/npy_bytes.hpp"

namespace cli_test {

std::string npy_with_header(const std::string& header, const std::string& data, npy_format version) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version.major_version);
  bytes += static_cast<char>(version.minor_version);
  const int length_bytes = version.major_version == 1 ? 2 : 4;
  for (int i = 0; i < length_bytes; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

std::string npy_dict(const std::string& descr, const std::string& shape, const std::string& order) {
  std::string header = "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while (header.size() % 64 != 53) header += ' ';  // with 10 bytes before it and a line feed after it
  return header + '\n';
}

}  // namespace cli_test
