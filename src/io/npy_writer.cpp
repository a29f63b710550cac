// The .npy writer; see npy_writer.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <functional>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <numeric>

namespace exactdot::io {

namespace {

std::size_t product(std::span<const std::size_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

npy_writer::npy_writer(const std::string& path, element_type type, std::size_t n)
    : npy_writer(path, type, std::span(&n, 1)) {}

npy_writer::npy_writer(const std::string& path, element_type type, std::span<const std::size_t> shape)
    : file_(path), type_(type), n_(product(shape)), left_(n_) {
  constexpr std::size_t alignment = 64;  // of the data in the file, as in NumPy
  constexpr std::size_t prefix = 10;     // magic, version, header length
  const char native_order = std::endian::native == std::endian::little ? '<' : '>';
  const char order = size_of(type) == 1 ? '|' : native_order;
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order, info_of(type).kind,
                  size_of(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  while ((prefix + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<unsigned>(header.size());
  std::string start = "\x93NUMPY";
  start += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  start += header;
  file_.write(std::as_bytes(std::span(start)));
}

void npy_writer::check_elements(element_type type, std::size_t count) const {
  if (type != type_) {
    fail(file_.path(), fmt::format("cannot write {} elements: the header says {}", name_of(type), name_of(type_)));
  }
  if (count > left_) fail(file_.path(), fmt::format("cannot write more elements than the header says: {}", n_));
}

void npy_writer::commit() {
  if (left_ != 0) {
    fail(file_.path(), fmt::format("cannot be finished: {} of {} elements are missing", left_, n_));
  }
  file_.commit();
}

}  // namespace exactdot::io
